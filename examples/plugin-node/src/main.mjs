// The program: serves a host, or explains itself to a person who starts it.
import { version } from './assets.mjs';
import { serve } from './serve.mjs';
import { log } from './log.mjs';

const cookie = 'proctor-detector';

if (process.argv.includes('--version')) {
  process.stdout.write(`proctor-plugin-node ${version}\n`);
} else if (process.env.PROCTOR_PLUGIN !== cookie) {
  process.stderr.write(
    `proctor-plugin-node ${version} is a plugin of proctor: proctor starts it, it does nothing on its own.\n` +
      'Install it with: proctor plugin install DIRECTORY\n',
  );
  process.exitCode = 1;
} else {
  serve(process.env).catch((error) => {
    log.error('cannot serve', { error: error.stack ?? String(error) });
    process.exit(1);
  });
}
