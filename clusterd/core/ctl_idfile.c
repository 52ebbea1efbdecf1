// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include <pwd.h>
#include <sys/stat.h>

#include <uuid/uuid.h>

#include "cluster_errors.h"
#include "core/ctl_idfile.h"

static void path_of(const char *dir, const char *suffix, char *path, size_t len)
{
	snprintf(path, len, "%s/%s%s", dir, CTL_ID_FILE, suffix);
}

static bool idfile_write(const char *dir, const struct ctl_id *id)
{
	char path[PATH_MAX], temporary[PATH_MAX], text[CTL_ID_TEXT_LEN];
	bool ok = false;
	FILE *file;

	path_of(dir, "", path, sizeof(path));
	path_of(dir, ".new", temporary, sizeof(temporary));
	file = fopen(temporary, "we");
	if (file) {
		/* It must be whole and on the disk before it has its name. */
		ok = fprintf(file, "%s\n", ctl_id_format(id, text)) > 0 &&
		     fflush(file) == 0 && fsync(fileno(file)) == 0;
		ok = fclose(file) == 0 && ok && rename(temporary, path) == 0;
	}
	if (!ok)
		flog_err(EC_CLUSTER_SYSTEM,
			 "the node's new logical ID can't be kept in %s: %s; after a restart it will be another one",
			 path, safe_strerror(errno));
	return ok;
}

bool ctl_idfile_load(const char *dir, struct ctl_id *id)
{
	char path[PATH_MAX], text[64] = "";
	uuid_t fresh;
	FILE *file;

	/* Random, never of the time: what is done modulo needs even values. */
	uuid_generate_random(fresh);
	memcpy(id->bytes, fresh, CTL_ID_LEN);
	path_of(dir, "", path, sizeof(path));
	file = fopen(path, "re");
	if (!file && errno == ENOENT)
		return idfile_write(dir, id);
	if (file) {
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		fclose(file);
		text[strcspn(text, "\n")] = '\0';
	}
	if (file && ctl_id_parse(text, id) && !ctl_id_is_null(id))
		return true;
	flog_err(EC_CLUSTER_SYSTEM,
		 "%s: %s: until it is mended or removed, the node has another logical ID after each start",
		 path, file ? "no logical ID" : safe_strerror(errno));
	memcpy(id->bytes, fresh, CTL_ID_LEN);
	return false;
}

void ctl_idfile_prepare(const char *dir, const char *user)
{
	const struct passwd *entry = user ? getpwnam(user) : NULL;

	if (mkdir(dir, 0750) == 0 && entry &&
	    chown(dir, entry->pw_uid, entry->pw_gid))
		fprintf(stderr, "%s: can't be given to %s: %s\n", dir, user,
			strerror(errno));
}
