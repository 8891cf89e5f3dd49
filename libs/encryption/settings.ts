import { setting } from '@adit/runtime';
import { z } from 'zod';

/** Key of what is encrypted at rest: whoever writes or reads such a secret has it. */
export const EncryptionSettings = z.object({
  encryptionKey: setting(
    'ADIT_ENCRYPTION_KEY',
    z.string().min(32).max(1024).optional(),
    'Key that secret keys of storage credentials, and addresses of live streams with a user name, password or query, are encrypted with in the database, the same for all processes: at least 32 random characters. Without it they are refused; with the embedded database one is made in the data folder.',
    { secret: true },
  ),
});
export type EncryptionSettings = z.infer<typeof EncryptionSettings>;
