/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/pod_problem.h"
#include "tests/unit/cases.h"

#define CONTAINERS(list) "{'status':{'containerStatuses':[" list "]}}"

static const struct {
	const char *pod, *want;
} rows[] = {
    {"{}", ""},
    {"[]", ""},
    {"{'status':{}}", "kubelet has not started it yet"},
    {"{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':'Unschedulable',"
     "'message':'0/3 nodes are available'}]}}",
     "not scheduled: Unschedulable: 0/3 nodes are available"},
    {CONTAINERS("{'name':'a','state':{'waiting':{'reason':'ContainerCreating'}}}"),
     "container a is being started"},
    {CONTAINERS("{'name':'a','state':{'waiting':{}}}"), "container a is being started"},
    {CONTAINERS("{'name':'a','ready':true},{'name':'b','state':{'running':{}}}"),
     "container b runs but is not ready"},
    {CONTAINERS("{'name':'a'}"), "container a is not ready"},
    /* what waits for a reason says more than what merely runs */
    {CONTAINERS(
	 "{'name':'a','state':{'running':{}}},{'name':'b','state':{'waiting':{'reason':"
	 "'ErrImagePull','message':'not found'}},'lastState':{'terminated':{'exitCode':0}}}"),
     "container b: ErrImagePull: not found"},
    {CONTAINERS("{'name':'a','state':{'waiting':{'reason':'CrashLoopBackOff','message':'back-off "
		"10s'}},'lastState':{'terminated':{'exitCode':137,'reason':'OOMKilled'}}}"),
     "container a: CrashLoopBackOff: back-off 10s; it ended with exit code 137: OOMKilled"},
    {CONTAINERS("{'name':'a','state':{'terminated':{'exitCode':1,'message':'no\\nconfig'}}}"),
     "container a ended with exit code 1: no config"},
    /* init containers come first; one that has ended well is well */
    {"{'status':{'initContainerStatuses':[{'name':'i','state':{'terminated':{'exitCode':0}}},"
     "{'name':'j','state':{'waiting':{'reason':'CreateContainerConfigError','message':'no "
     "secret'}}}],'containerStatuses':[{'name':'a','state':{'waiting':{'reason':"
     "'PodInitializing'}}}]}}",
     "init container j: CreateContainerConfigError: no secret"},
    /* all containers are well: a readiness gate, or the node */
    {"{'status':{'containerStatuses':[{'name':'a','ready':true}],'conditions':[{'type':'Ready',"
     "'status':'False','reason':'ReadinessGatesNotReady','message':'gate x is not true'}]}}",
     "gate x is not true"},
    {"{'status':{'containerStatuses':[{'name':'a','ready':true}],'conditions':[{'type':'Ready',"
     "'status':'Unknown','reason':'NodeStatusUnknown'}]}}",
     "NodeStatusUnknown"},
    {"{'status':{'containerStatuses':[{'name':'a','ready':true}],'conditions':[{'type':'Ready',"
     "'status':'True'}]}}",
     ""},
    /* of any shape */
    {"{'status':{'containerStatuses':{},'conditions':7,'initContainerStatuses':'x'}}", ""},
    {CONTAINERS("7,{'name':{},'state':[]}"), "container  is not ready"},
};

/* covers: cloneset:B2 */
static void told_in_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		_cleanup_buf_ struct buf b = {0};
		val pod = js(a, rows[i].pod);

		pod_problem(&b, &pod, 200);
		print_message("%s\n", buf_str(&b));
		assert_string_equal(buf_str(&b), rows[i].want);
	}
	pod_problem(&(struct buf){0}, NULL, 200);
}

static void words_are_cut_at_characters(void **state)
{
	static const struct {
		const char *text;
		size_t max;
		const char *want;
	} table[] = {
	    {"short", 5, "short"},
	    {"longer", 5, "longe…"},
	    {"aé", 2, "a…"},
	    {"aé", 3, "aé"},
	    {"a\tb\x7f\xc2\x9b"
	     "c",
	     9, "a b  c"},
	    {"", 0, ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_buf_ struct buf b = {0};

		pod_problem_words(&b, str_of(table[i].text), table[i].max);
		assert_string_equal(buf_str(&b), table[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(told_in_words),
	    cmocka_unit_test(words_are_cut_at_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
