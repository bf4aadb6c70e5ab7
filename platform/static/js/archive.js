// The rules of arena/archive.py and arena/unzip.py, checked before anything is sent, in the same order and with
// the same sentences (they arrive with the page). The server checks again: this only saves a round trip.

const SUFFIXES = [".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".whl", ".egg"];
const STARTS = ["PK\x03\x04", "PK\x05\x06", "\x1f\x8b", "7z\xbc\xaf\x27\x1c", "Rar!", "\xfd7zXZ"];
const IGNORED = new Set(["__macosx", "__pycache__", "thumbs.db", "desktop.ini"]);
const ENTRY = "bot.py";
const ZIP64 = 0xffffffff;
const ENCRYPTED = 0x1 | 0x40 | 0x2000;
const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
  "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

class Refused extends Error {
  constructor(code, details) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** What is wrong with an upload, `{code, message}`, or null; `bytes` may be cut off once it is over every limit. */
export async function check(filename, bytes, rules) {
  try {
    await readUpload(filename, bytes, rules);
    return null;
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    const { code, details } = refused;
    return { code, message: rules.sentences[code].replace(/\{(\w+)\}/g, (_, key) => details[key]) };
  }
}

/** The modules of an upload, `{path: text}`, as far as the browser can unpack them. Throws Refused. */
export async function readUpload(filename, bytes, rules) {
  const { limits } = rules;
  const name = shown(filename, limits);
  const ending = filename.includes(".") ? filename.trim().toLowerCase().split(".").pop() : "";
  if (ending !== "py" && ending !== "zip") throw new Refused("extension", { name });
  if (bytes.every((byte) => byte === 32 || (byte >= 9 && byte <= 13))) throw new Refused("empty", { name });
  if (ending === "zip") return fromZip(name, bytes, rules);
  if (bytes.length > limits.file_bytes) throw new Refused("file_too_large", { name, limit: size(limits.file_bytes) });
  if (startsWith(bytes, STARTS[0])) throw new Refused("zip_as_py", { name });
  return { [ENTRY]: python(name, bytes) };
}

async function fromZip(zipName, bytes, rules) {
  const { limits } = rules;
  if (bytes.length > limits.zip_bytes) {
    throw new Refused("zip_too_large", { name: zipName, limit: size(limits.zip_bytes) });
  }
  const listed = directory(zipName, bytes);
  if (listed === null) return {};
  const entries = kept(listed, limits);
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (total > limits.unpacked_bytes) {
    if (total > limits.bomb_ratio * bytes.length) {
      throw new Refused("zip_bomb", { size: size(total), limit: limits.bomb_ratio });
    }
    throw new Refused("unpacked_too_large", { size: size(total), limit: size(limits.unpacked_bytes) });
  }
  let files = [];
  for (const entry of entries) files.push({ path: entry.path, content: await unpacked(entry, bytes, limits) });
  if (!files.some(({ path }) => path.endsWith(".py"))) throw new Refused("no_python", {});
  const folders = new Set(files.map(({ path }) => (path.includes("/") ? path.split("/")[0] : "")));
  if (folders.size === 1 && !folders.has("")) {
    files = files.map(({ path, content }) => ({ path: path.slice(path.indexOf("/") + 1), content }));
  }
  const modules = {};
  for (const { path, content } of files) {
    const name = shown(path, limits);
    if (path.endsWith(".py")) {
      checkModuleName(path, name, rules);
      if (content) modules[path] = python(name, content);
    } else if (content) {
      plainText(name, content);
    }
  }
  const top = files.map(({ path }) => path).filter((path) => path.endsWith(".py") && !path.includes("/"));
  if (!top.includes(ENTRY) && top.length !== 1) throw new Refused("no_entry", {});
  return modules;
}

/** The entries as the zip lists them; null for the 64-bit form, which is left to the server. */
function directory(zipName, bytes) {
  const damaged = () => new Refused("not_zip", { name: zipName });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) throw damaged();
  const length = view.getUint32(end + 12, true);
  if (length === ZIP64) return null;
  const start = end - length;
  const shift = start - view.getUint32(end + 16, true);
  if (start < 0 || shift < 0) throw damaged();
  const entries = [];
  for (let at = start; at < end; ) {
    if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50) throw damaged();
    const flags = view.getUint16(at + 8, true);
    const nameLength = view.getUint16(at + 28, true);
    const rawName = bytes.subarray(at + 46, at + 46 + nameLength);
    let raw;
    try {
      raw = flags & 0x800 ? decode(rawName) : Array.from(rawName, (b) => (b < 128 ? String.fromCharCode(b) : CP437[b - 128])).join("");
    } catch {
      throw damaged();
    }
    entries.push({
      raw,
      flags,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      kind: (view.getUint32(at + 38, true) >>> 16) & 0o170000,
      offset: view.getUint32(at + 42, true),
      shift,
    });
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries.some(({ packed, size, offset }) => [packed, size, offset].includes(ZIP64)) ? null : entries;
}

function kept(entries, limits) {
  if (entries.length > limits.entries) {
    throw new Refused("too_many_files", { count: entries.length, limit: limits.entries });
  }
  const seen = new Set();
  const result = [];
  for (const entry of entries) {
    const name = shown(entry.raw, limits);
    const path = checkedPath(entry.raw, name, limits);
    checkKind(entry, name);
    const isIgnored = path.split("/").some((part) => part.startsWith(".") || IGNORED.has(part.toLowerCase()));
    if (entry.raw.endsWith("/") || !path || isIgnored) continue;
    if (seen.has(path.toLowerCase())) throw new Refused("duplicate", { name });
    seen.add(path.toLowerCase());
    result.push({ ...entry, name, path });
  }
  if (result.length > limits.files) throw new Refused("too_many_files", { count: result.length, limit: limits.files });
  return result;
}

function checkedPath(raw, name, limits) {
  if ([...raw].length > limits.path_length) throw new Refused("path_too_long", { name, limit: limits.path_length });
  if (raw.includes("\\") || /^[A-Za-z]:/.test(raw)) throw new Refused("path_windows", { name });
  if (raw.startsWith("/")) throw new Refused("path_absolute", { name });
  const parts = raw.split("/");
  if (parts.includes("..")) throw new Refused("path_parent", { name });
  if (/[\p{Cc}\p{Cs}]/u.test(raw)) throw new Refused("path_control", { name });
  return parts.filter((part) => part !== "" && part !== ".").join("/").normalize("NFC");
}

function checkKind({ kind, flags, method }, name) {
  if (kind === 0o120000) throw new Refused("link", { name });
  if (![0, 0o100000, 0o040000].includes(kind)) throw new Refused("special_file", { name });
  if (flags & ENCRYPTED) throw new Refused("encrypted", { name });
  if (method !== 0 && method !== 8) throw new Refused("zip_method", { name });
}

async function unpacked(entry, bytes, limits) {
  const { name } = entry;
  if (entry.size > limits.file_bytes) throw new Refused("file_too_large", { name, limit: size(limits.file_bytes) });
  if (SUFFIXES.some((suffix) => name.toLowerCase().endsWith(suffix))) throw new Refused("nested_archive", { name });
  const content = await inflated(entry, bytes);
  if (content && (content.length !== entry.size || crc32(content) !== entry.crc)) throw new Refused("zip_damaged", { name });
  if (content && STARTS.some((start) => startsWith(content, start))) throw new Refused("nested_archive", { name });
  return content;
}

/** The bytes of an entry, at most one chunk more than it declares; null where the browser cannot inflate. */
async function inflated({ name, offset: unshifted, shift, packed, size: declared, method }, bytes) {
  const offset = unshifted + shift;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (offset + 30 > bytes.length || view.getUint32(offset, true) !== 0x04034b50) {
    throw new Refused("zip_damaged", { name });
  }
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  const data = bytes.subarray(start, start + packed);
  if (method === 0) return data;
  if (typeof DecompressionStream === "undefined") return null;
  const chunks = [];
  let length = 0;
  try {
    const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      chunks.push(step.value);
      length += step.value.length;
      if (length > declared) {
        await reader.cancel();
        break;
      }
    }
  } catch {
    throw new Refused("zip_damaged", { name });
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function checkModuleName(path, name, { keywords, taken }) {
  const parts = path.slice(0, -".py".length).split("/");
  const isName = (part) => /^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(part) && !keywords.includes(part);
  if (!parts.every(isName)) throw new Refused("module_name", { name });
  if (taken.includes(parts[0])) throw new Refused("hides_module", { name });
}

function python(name, bytes) {
  if (bytes.includes(0)) throw new Refused("nul", { name });
  try {
    return decode(bytes);
  } catch {
    throw new Refused("not_utf8", { name });
  }
}

function plainText(name, bytes) {
  try {
    if (!bytes.includes(0)) return decode(bytes);
  } catch {
    // falls through: the sentence is the same
  }
  throw new Refused("not_text", { name });
}

function decode(bytes) {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function startsWith(bytes, start) {
  return [...start].every((char, index) => bytes[index] === char.charCodeAt(0));
}

function shown(name, { shown_name: longest }) {
  const clean = [...name.normalize("NFC")].map((char) => (/[\p{C}\p{Z}]/u.test(char) && char !== " " ? "\ufffd" : char));
  if (clean.length <= longest) return clean.join("");
  const tail = Math.min(20, Math.floor(longest / 3));
  return `${clean.slice(0, longest - tail - 1).join("")}…${clean.slice(-tail).join("")}`;
}

function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  const [unit, name] = [[1024 ** 3, "GiB"], [1024 ** 2, "MiB"], [1024, "KiB"]].find(([unit]) => bytes >= unit);
  const tenths = Math.floor((bytes * 10) / unit);
  return tenths % 10 ? `${Math.floor(tenths / 10)}.${tenths % 10} ${name}` : `${tenths / 10} ${name}`;
}
