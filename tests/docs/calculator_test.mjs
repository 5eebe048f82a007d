// SPDX-License-Identifier: Apache-2.0
// The calculator's page says what the command says: its module, which was compiled of the same code at some time, runs here
// beside `bloomery calc --json`. A change of sizes or rates is in the page once that is made anew (bindings/javascript/CMakeLists.txt).
// node calculator_test.mjs PAGE COMMAND
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {createContext, runInContext} from "node:vm";

const [page, command] = process.argv.slice(2);
const html = readFileSync(page, "utf8");
const formulas = /<script id="formulas">([^]*?)<\/script>/.exec(html)[1];
const [, module] = /<script id="module" type="text\/plain">([^<]*)<\/script>/.exec(html);
const context = createContext({atob, module, TextDecoder, TextEncoder});
const own = runInContext(`${formulas}\n;({...sizingOf(module), readCount, readRate, readBits})`, context);

let failures = 0;
let checks = 0;
function expect(what, actual, wanted, tolerance = 0) {
  ++checks;
  if (actual === wanted || Math.abs(actual - wanted) <= tolerance * Math.abs(wanted)) return;
  ++failures;
  console.error(`${what}: ${actual}, where it should be ${wanted}`);
}

function expectRefused(what, call, why) {
  ++checks;
  try {
    console.error(`${what}: ${call()}, where it should be refused`);
    ++failures;
  } catch (error) {
    if (error.name !== "RangeError") throw error;
    if (why !== undefined) expect(what, error.text.toLowerCase(), `${why}.`.toLowerCase());
  }
}

const run = (...words) => JSON.parse(execFileSync(command, [...words, "--json"], {stdio: ["ignore", "pipe", "ignore"]}));

function calc(known) {
  const words = ["calc"];
  for (const [option, name] of [["-n", "capacity"], ["-p", "rate"], ["-m", "bits"], ["-k", "probes"]]) {
    if (known[name] != null) words.push(option, String(known[name]));
  }
  return run(...words);
}

function compare(given) {
  const known = {capacity: null, rate: null, bits: null, probes: null, ...given};
  const name = JSON.stringify(given);
  const said = calc(known);
  for (const filter of said.filters) {
    if (filter.impossible) {
      expectRefused(`${name} ${filter.kind}`, () => own.solve(filter.kind, known).capacity, filter.impossible);
      continue;
    }
    const found = own.solve(filter.kind, known);
    const of = (figure) => `${name} ${filter.kind} ${figure}`;
    expect(of("capacity"), found.capacity, filter.capacity);
    expect(of("bits"), found.geometry.bits, filter.bit_count);
    expect(of("probes"), found.geometry.probes, filter.probe_count);
    expect(of("lines"), found.geometry.lines, filter.lines_per_key);
    expect(of("rate"), found.rate, filter.predicted_rate, 1e-9);
    for (const {load, predicted_rate: rate} of filter.overfill) {
      expect(of(`rate at ${load}`), own.rateAt(found, load * found.capacity), rate, 1e-9);
    }
  }
  const book = own.textbook(known);
  expect(`${name} textbook`, book === null, said.textbook === undefined);
  if (book === null) return;
  expect(`${name} textbook's bits`, book.bits, said.textbook.bit_count, 1e-12);
  expect(`${name} textbook's capacity`, book.capacity, said.textbook.capacity, 1e-12);
  expect(`${name} textbook's probes`, book.probes, said.textbook.probe_count, 1e-12);
  expect(`${name} textbook's rate`, book.rateAt(book.capacity), said.textbook.predicted_rate, 1e-9);
}

for (const capacity of [1, 12_345, 900_000_000]) {
  for (const rate of [0.3, 0.01, 0.001, 1e-7]) compare({capacity, rate});
  for (const bits of [512, 80_000_000, 2 ** 33]) compare({capacity, bits});
  for (const probes of [1, 7, 10, 30]) compare({capacity, probes});
}
for (const bits of [64, 4096, 1_000_000, 8 * 2 ** 30]) {
  for (const rate of [0.1, 0.001]) if (bits > 64) compare({bits, rate});
  for (const probes of [1, 6, 16, 20]) if (bits > 64) compare({bits, probes});
}
compare({capacity: 1000, bits: 10_000, probes: 4});
compare({capacity: 1000, rate: 0.01, probes: 5});
compare({capacity: 1000, rate: 0.02, bits: 10_000, probes: 7});

for (const capacity of [9e8, 1e9, 1e11, 1e12]) {
  const known = {capacity, rate: 0.001, bits: null, probes: null};
  const {clusters: [said]} = run("calc", "-n", String(capacity), "-p", "0.001", "--partitions", "auto");
  expect(`partitions of ${capacity}`, own.solve("blocked", known).parts, said.partitions);
}

// Of the other kinds and of formats, beside filters that are made.
const folder = mkdtempSync(join(tmpdir(), "bloomery-calculator-"));
function make(kind, isOurs, capacity, rate) {
  const file = join(folder, `${kind}-${capacity}`);
  const place = isOurs ? file : `${kind}:${file}`;
  const options = ["-n", String(capacity), "-p", String(rate), ...(isOurs ? ["--kind", kind] : []), ...(kind === "windowed" ? ["--window", "1h"] : [])];
  if (!["static", "fuse"].includes(kind)) return {...run("create", place, ...options), size: statSync(file).size};
  const keys = join(folder, "keys");
  writeFileSync(keys, Array.from({length: capacity}, (_, i) => `${i}\n`).join(""));
  return {...run("load", keys, place, ...options), size: statSync(file).size};
}
for (const kind of own.kinds.filter((each) => !["blocked", "classic"].includes(each))) {
  for (const [capacity, rate] of [[12_345, 0.01], [100_000, 1e-4]]) {
    const found = own.solve(kind, {capacity, rate, bits: null, probes: null});
    const made = make(kind, found.file > 0, capacity, rate);
    const of = (figure) => `${kind} of ${capacity} at ${rate}: ${figure}`;
    expect(of("bytes"), found.stored / 8, made.byte_count);
    expect(of("probes"), found.geometry.probes, made.probe_count ?? made.fingerprint_bits);
    expect(of("lines"), found.geometry.lines, made.lines_per_key);
    expect(of("rate"), found.rate, made.predicted_rate, 1e-9);
    if (found.file > 0) expect(of("file"), found.file, made.size);
    // The other two numbers lead back to a filter that is no worse.
    const stored = {bits: found.stored, probes: null};
    expect(of("the most keys"), own.solve(kind, {...stored, rate, capacity: null}).capacity >= capacity, true);
    expect(of("the lowest rate"), own.solve(kind, {...stored, capacity, rate: null}).made <= rate * 1.0002, true);
  }
}
const layers = run("measure", "-n", "100k", "-p", "0.01", "--kind", "scalable", "--grow-from", "10k").layers;
const grown = own.layersOf(own.solve("scalable", {capacity: 10_000, rate: 0.01, bits: null, probes: null}));
let bits = 0;
layers.forEach((layer, i) => {
  bits += layer.bit_count;
  expect(`bits of ${i + 1} layers`, grown[i][1], bits);
});
// Where no layer more can be, the newest is overfilled.
for (const kind of ["scalable", "redisbloom"]) {
  const small = own.solve(kind, {capacity: 1e6, rate: 0.01, bits: null, probes: null});
  let before = 0;
  for (const keys of [1e6, 1e9, 1e17, 1e18]) {
    const rate = own.rateAt(small, keys);
    expect(`${kind} with ${keys} keys: its rate of ${rate} is one, and above ${before}`, rate > before && rate <= 1, true);
    before = rate;
  }
}
rmSync(folder, {recursive: true});

// The post's figures.
const post = own.textbook({capacity: 9e8, rate: 0.001, bits: null, probes: null});
expect("the post's bits", Math.floor(post.bits), 12_939_828_810 - 1, 1e-9);
expect("the post's probes", post.probes, 9.966, 1e-4);
[[0.1, 4.792], [0.01, 9.585], [0.001, 14.378]].forEach(([rate, bits]) =>
  expect(`bits a key at ${rate}`, own.textbook({capacity: 1e6, rate, bits: null, probes: null}).bits / 1e6, bits, 2e-4));

// As people write them; the counts also as the command reads them.
for (const [text, count] of [["250000", 250000], ["10M", 1e7], ["1e6", 1e6], ["2.5e3", 2500], ["100_000", 1e5],
                             ["900*1M", 9e8], ["900*1000000", 9e8], ["2^20", 2 ** 20], ["1.5g", 1.5e9]]) {
  expect(text, own.readCount(text), count);
  expect(`${text} in the command`, calc({capacity: text, rate: 0.5}).filters[0].capacity, count);
}
for (const [text, count] of [["100,000", 1e5], ["1 000 000", 1e6], ["900 × 1M", 9e8]]) expect(text, own.readCount(text), count);
for (const [text, rate] of [["0.01", 0.01], ["1%", 0.01], ["0.1 %", 0.001], ["1e-6", 1e-6], ["1 in 1000", 0.001],
                            ["1/1000", 0.001], ["1 in 10M", 1e-7], ["5‰", 0.005]]) {
  expect(text, own.readRate(text), rate, 1e-15);
}
for (const [text, bits] of [["80M", 8e7], ["1GiB", 2 ** 33], ["10 MB", 8e7], ["64KiB", 2 ** 19], ["100 bits", 100], ["7B", 56]]) {
  expect(text, own.readBits(text), bits);
}
for (const text of ["", "  "]) expect("nothing", own.readCount(text), null);
for (const text of ["ten", "1.5", "-3", "10M keys", "1e400"]) expectRefused(text, () => own.solve("classic", {capacity: own.readCount(text), rate: 0.1, bits: null, probes: null}).capacity);
for (const text of ["often", "1 in many", "%"]) expectRefused(text, () => own.readRate(text));
for (const text of ["much", "1QiB"]) expectRefused(text, () => own.readBits(text));

// It is one file, which needs nobody.
for (const forbidden of [/\bsrc\s*=/, /<link\b/, /@import/, /\bfetch\s*\(/, /XMLHttpRequest/, /url\(\s*['"]?http/]) {
  expect(`the page has ${forbidden}`, forbidden.test(html), false);
}

console.log(`${checks} comparisons, ${failures} failed`);
process.exit(failures ? 1 : 0);
