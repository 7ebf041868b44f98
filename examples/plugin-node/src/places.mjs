// Locations in sources: paths as the protocol wants them, and the frames of a stack.
import { fileURLToPath } from 'node:url';
import { isAbsolute, relative } from 'node:path';
import { cutText, maxPath } from './text.mjs';

const maxFrames = 32; // more frames of the project's own help nobody

// relativePath returns a path with slashes, relative to the root, or absolute if outside.
export function relativePath(root, file) {
  const path = filePath(file);
  const from = root ? relative(root, path) : path;
  const inside = from !== '' && from !== '..' && !/^\.\.[/\\]/.test(from) && !isAbsolute(from);
  return cutText((inside ? from : path).replaceAll('\\', '/'), maxPath);
}

export function toLocation(root, file, line, column) {
  if (!file) return undefined;
  return { file: relativePath(root, file), line: positiveInt(line), column: positiveInt(column) };
}

// ownFrames returns the frames of a stack that are the project's, innermost first.
export function ownFrames(root, stack) {
  const frames = [];
  for (const line of String(stack ?? '').split('\n')) {
    const frame = /^\s+at (?:async )?(?:(.*?) \()?((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+):(\d+)\)?\s*$/.exec(line);
    if (!frame) continue;
    const place = toLocation(root, frame[2], Number(frame[3]), Number(frame[4]));
    if (isAbsolute(place.file) || /^[A-Za-z]:/.test(place.file) || /(^|\/)node_modules\//.test(place.file)) continue;
    frames.push({ function: cutText(frame[1] ?? '', maxPath), location: place });
    if (frames.length === maxFrames) break;
  }
  return frames;
}

function filePath(file) {
  const text = String(file);
  if (!text.startsWith('file:')) return text;
  try {
    return fileURLToPath(text);
  } catch {
    return text;
  }
}

function positiveInt(value) {
  return Number.isInteger(value) && value > 0 && value < 2 ** 31 ? value : 0;
}
