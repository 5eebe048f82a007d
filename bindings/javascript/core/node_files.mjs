// SPDX-License-Identifier: Apache-2.0
// Filters in files, by node's own modules, which an entry hands over: this is loaded by import and
// by require, and names neither.
export const filesOf = (fs, path, url) => {
  let saved = 0;

  // Follows symbolic links to the file that is to be replaced; the links stay.
  async function namedBy(file) {
    const MOST_LINKS = 40;
    if (typeof file !== 'string' && !(file instanceof URL)) {
      throw new TypeError(`save: the path of a file or its URL, and not ${JSON.stringify(file)}`);
    }
    let target = path.resolve(typeof file === 'string' ? file : url.fileURLToPath(file));
    for (let links = 0; links < MOST_LINKS; ++links) {
      const next = await fs.promises.readlink(target).catch(() => undefined);
      if (next === undefined) return target;
      target = path.resolve(path.dirname(target), next);
    }
    return target;
  }

  // The permissions that a file keeps when it is replaced; that of a secret is for its owner alone.
  async function modeOf(target, isSecret) {
    const OWNER_ONLY = 0o600;
    const status = await fs.promises.stat(target).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
    const kept = status === undefined ? undefined : status.mode & 0o777;
    return isSecret ? (kept ?? OWNER_ONLY) & OWNER_ONLY : kept;
  }

  // In one step, and on the disk when it is done: who reads it meanwhile has the old file or the new.
  async function replaceFile(file, bytes, isSecret) {
    const target = await namedBy(file);
    const folder = path.dirname(target);
    const mode = await modeOf(target, isSecret);
    const fresh = `${target}.${process.pid}.${++saved}.tmp`;
    const handle = await fs.promises.open(fresh, 'wx', mode);
    try {
      try {
        if (mode !== undefined) await handle.chmod(mode);
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await fs.promises.rename(fresh, target);
    } catch (error) {
      await fs.promises.rm(fresh, { force: true });
      throw error;
    }
    if (process.platform === 'win32') return; // where folders are not opened
    const parent = await fs.promises.open(folder);
    try {
      await parent.sync();
    } finally {
      await parent.close();
    }
  }

  return (bloomery) => {
    const { Filter } = bloomery;
    Filter.open = async function open(file, options) {
      return this.fromBytes(await fs.promises.readFile(file), options);
    };

    Filter.prototype.save = async function save(file, { format } = {}) {
      if (format !== undefined && Object.keys(this.settingsOf(format)).length > 0) {
        throw new TypeError(
          `save: the bytes of ${format} do not say all; keep settingsOf('${format}') beside toBytes()`,
        );
      }
      await replaceFile(file, this.toBytes({ format }), this.secret);
    };
    return bloomery;
  };
};
