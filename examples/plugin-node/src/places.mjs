// Places in sources: paths as proctor wants them, frames out of a stack.
import { fileURLToPath } from 'node:url';
import { isAbsolute, relative } from 'node:path';
import { cutText, maxPath } from './text.mjs';

const maxFrames = 32; // more own frames tell nobody anything

// relativePath is relative to the root and with slashes; absolute when outside.
export function relativePath(root, file) {
  const path = filePath(file);
  const from = root ? relative(root, path) : path;
  const inside = from !== '' && from !== '..' && !/^\.\.[/\\]/.test(from) && !isAbsolute(from);
  return cutText((inside ? from : path).replaceAll('\\', '/'), maxPath);
}

export function location(root, file, line, column) {
  if (!file) return undefined;
  return { file: relativePath(root, file), line: count(line), column: count(column) };
}

// ownFrames returns the frames of a stack that are the project's, innermost first.
export function ownFrames(root, stack) {
  const frames = [];
  for (const line of String(stack ?? '').split('\n')) {
    const frame = /^\s+at (?:async )?(?:(.*?) \()?((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+):(\d+)\)?\s*$/.exec(line);
    if (!frame) continue;
    const place = location(root, frame[2], Number(frame[3]), Number(frame[4]));
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

function count(value) {
  return Number.isInteger(value) && value > 0 && value < 2 ** 31 ? value : 0;
}
