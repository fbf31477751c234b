import { crc32, deflateRawSync } from 'node:zlib';

/** 1 January 1980, the earliest date of the format: the same files make the same bytes. */
const date = 0x21;
const [version, deflated, utf8] = [20, 8, 0x800];

/** A ZIP file of these files, in their order; paths have slashes. */
export function zip(files: readonly (readonly [path: string, content: Buffer])[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content, { level: 9 });
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(version, 0);
    shared.writeUInt16LE(utf8, 2);
    shared.writeUInt16LE(deflated, 4);
    shared.writeUInt16LE(date, 8);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), shared, name, packed]);
    const place = Buffer.alloc(14);
    // A regular file that everybody can read.
    place.writeUInt32LE((0o100644 << 16) >>> 0, 6);
    place.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([version, 3]);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), madeBy, shared, place, name]));
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}
