/* A folder with a runtime of the user's, as a bundle. */
#ifndef ETSCOPE_CLI_TARGET_PACK_FOLDER_H
#define ETSCOPE_CLI_TARGET_PACK_FOLDER_H

/*
 * Writes the files of the folder, which include the program `start`, to the new tar at `path`. The
 * same files make the same bytes. Folders in it are left out. Returns an exit code.
 */
int cli_pack_folder(const char *folder, const char *path);

#endif
