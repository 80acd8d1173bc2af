/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ipc/base/buf.h"
#include "workers/runtime/journal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64];

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/journal-test.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	_cleanup_free_ char *cmd = xasprintf("rm -rf '%s'", dir);
	return system(cmd);
}

static struct intent intent(enum intent_kind kind, const char *name, uint64_t rv)
{
	struct intent it = {.kind = kind, .rv = rv, .at_usec = 5};
	snprintf(it.ns, sizeof(it.ns), "default");
	snprintf(it.name, sizeof(it.name), "%s", name);
	snprintf(it.uid, sizeof(it.uid), "uid-%s", name);
	return it;
}

/* covers: revisions:X3 cloneset:B3 */
static void survives_a_kill(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (pid == 0) {
		struct journal *j;
		if (journal_open(&j, dir, "w", NULL) < 0)
			_exit(1);
		struct intent list[] = {intent(INTENT_CREATE, "a", 0),
					intent(INTENT_DELETE, "b", 0),
					intent(INTENT_UPDATE, "c", UINT32_MAX + 7ull)};
		if (journal_add(j, "owner", list, 3, NULL) < 0)
			_exit(1);
		journal_clear(j, "owner", journal_find(j, "owner", INTENT_DELETE, "b"));
		journal_flush(j);
		/* crossed out, and the file does not know: it comes back, which is safe */
		journal_clear(j, "owner", journal_find(j, "owner", INTENT_CREATE, "a"));
		kill(getpid(), SIGKILL);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));

	struct journal *j;
	assert_int_equal(journal_open(&j, dir, "w", NULL), 0);
	assert_int_equal(journal_count(j), 2);
	struct intent *c = journal_find(j, "owner", INTENT_UPDATE, "c");
	assert_non_null(c);
	assert_true(c->recovered);
	assert_int_equal(c->rv, UINT32_MAX + 7ull);
	assert_string_equal(c->uid, "uid-c");
	assert_string_equal(c->ns, "default");
	assert_non_null(journal_find(j, "owner", INTENT_CREATE, "a"));
	assert_null(journal_find(j, "owner", INTENT_CREATE, "c"));
	assert_null(journal_of(j, "another"));
	journal_clear_owner(j, "owner");
	assert_int_equal(journal_count(j), 0);
	journal_close(j);

	assert_int_equal(journal_open(&j, dir, "w", NULL), 0);
	assert_int_equal(journal_count(j), 0);
	journal_close(j);
}

static void added_again_after_clearing(void **state)
{
	(void)state;
	struct journal *j;
	struct intent it = intent(INTENT_CREATE, "again", 0);
	assert_int_equal(journal_open(&j, dir, "again", NULL), 0);
	assert_int_equal(journal_add(j, "o", &it, 1, NULL), 0);
	journal_clear(j, "o", journal_of(j, "o"));
	assert_int_equal(journal_add(j, "o", &it, 1, NULL), 0);
	assert_int_equal(journal_add(j, "o", &it, 1, NULL), 0); /* twice is once */
	assert_int_equal(journal_count(j), 1);
	journal_close(j);
	assert_int_equal(journal_open(&j, dir, "again", NULL), 0);
	assert_int_equal(journal_count(j), 1);
	journal_close(j);
}

static bool is_kept(const char *uid, void *userdata)
{
	return strcmp(uid, userdata) == 0;
}

static void owners_that_are_gone_are_dropped(void **state)
{
	(void)state;
	struct journal *j;
	char kept[] = "stays";
	struct intent list[] = {intent(INTENT_CREATE, "a", 0), intent(INTENT_CREATE, "b", 0)};
	assert_int_equal(journal_open(&j, dir, "retain", NULL), 0);
	assert_int_equal(journal_add(j, "gone", list, 2, NULL), 0);
	assert_int_equal(journal_add(j, kept, list, 2, NULL), 0);
	journal_retain(j, is_kept, kept);
	assert_null(journal_of(j, "gone"));
	assert_int_equal(journal_count(j), 2);
	journal_close(j);
	assert_int_equal(journal_open(&j, dir, "retain", NULL), 0);
	assert_int_equal(journal_count(j), 2);
	assert_non_null(journal_find(j, kept, INTENT_CREATE, "b"));
	journal_close(j);
}

static void damaged_file_is_moved_aside(void **state)
{
	(void)state;
	_cleanup_free_ char *path = xasprintf("%s/journal-bad", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < 10000; i++)
		fputs("garbage", f);
	fclose(f);
	struct journal *j;
	assert_int_equal(journal_open(&j, dir, "bad", NULL), 0);
	assert_int_equal(journal_count(j), 0);
	struct intent it = intent(INTENT_CREATE, "x", 0);
	assert_int_equal(journal_add(j, "o", &it, 1, NULL), 0);
	journal_close(j);
	_cleanup_free_ char *aside = xasprintf("%s.damaged", path);
	assert_int_equal(access(aside, F_OK), 0);
}

static void names_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	struct journal *j;
	struct err e = {0};
	char owner[300];
	memset(owner, 'o', sizeof(owner) - 1);
	owner[sizeof(owner) - 1] = '\0';
	struct intent it = intent(INTENT_CREATE, "x", 0);
	memset(it.name, 'n', sizeof(it.name) - 1);
	it.name[sizeof(it.name) - 1] = '\0';
	assert_int_equal(journal_open(&j, dir, "long", NULL), 0);
	assert_true(journal_add(j, owner, &it, 1, &e) < 0);
	assert_true(e.msg[0] != '\0');
	assert_int_equal(journal_count(j), 0);
	journal_close(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(survives_a_kill),
	    cmocka_unit_test(added_again_after_clearing),
	    cmocka_unit_test(owners_that_are_gone_are_dropped),
	    cmocka_unit_test(damaged_file_is_moved_aside),
	    cmocka_unit_test(names_that_do_not_fit_are_refused),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
