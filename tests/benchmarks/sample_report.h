// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benchmarks/report.h"

namespace bloomery::bench {

// Made up: one row that is kept, one whose rate is wrong, one that loses keys, one left out.
inline Report sample_report() {
  Report report;
  report.machine.processor = "Some <Processor> & Co";
  report.machine.processors = 2;
  report.machine.caches = "L1d 32.0 KiB, L2 1.0 MiB, L3 8.0 MiB";
  report.machine.memory_bytes = std::uint64_t{8} << 30;
  report.machine.system = "Linux 6.1";
  report.machine.huge_pages = "madvise";
  report.machine.compiler = "g++ 12";
  report.machine.kernel = "scalar";
  report.measured_on = "2026-01-31";
  report.repetitions = 5;
  report.batch = 4096;

  RowResult kept;
  kept.row = "Kept 1 %";
  kept.ours = true;
  kept.asked_rate = 0.01;
  kept.bits_per_key = 10.1;
  kept.built_with = "g++ 12 -O2";
  kept.timing(Operation::insert_one) = Timing{8.5, 8.75};
  kept.timing(Operation::insert_batch) = Timing{4.25, 4.5};
  kept.timing(Operation::absent_one) = Timing{7.5, 7.75};
  kept.timing(Operation::absent_batch) = Timing{3.5, 9.5};
  kept.judge(1'000'000, 10'000, 0);
  RowResult single;
  single.row = "std::set<int>";
  single.timing(Operation::insert_one) = Timing{170, 171};
  single.timing(Operation::absent_one) = Timing{76, 77};
  single.judge(1'000'000, 0, 0);
  RowResult wrong = kept;
  wrong.row = "Wrong 1 %";
  wrong.ours = false;
  wrong.timing(Operation::absent_batch) = Timing{1.125, 1.125};
  wrong.judge(1'000'000, 13'100, 0);
  RowResult loser = wrong;
  loser.row = "Loser";
  loser.judge(1'000'000, 10'000, 1);
  RowResult absent;
  absent.row = "Absent";
  absent.leave_out("not installed: apt install \"absent\"");

  SizeReport size{{"L3", 10'000'000}, {}, {kept, single, wrong, loser, absent}};
  size.limit.byte_count = 12'582'912;
  size.limit.huge_page_share = 1;
  size.limit.read = {{2.5, 2.5}, "prefetcht1, 64 ahead"};
  size.limit.write = {{2.75, 2.75}, "no prefetch"};
  size.limit.read_small_pages = {{5, 5}, "no prefetch"};
  size.limit.write_small_pages = {{5.5, 5.5}, "no prefetch"};
  report.sizes = {size};
  return report;
}

}  // namespace bloomery::bench
