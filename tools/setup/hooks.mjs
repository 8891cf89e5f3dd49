// Points git at the committed hooks; a source archive without .git has nothing to set.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (existsSync('.git')) execFileSync('git', ['config', 'core.hooksPath', 'tools/hooks']);
