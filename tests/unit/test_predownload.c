/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/gates.h"
#include "rules/predownload.h"
#include "tests/unit/cases.h"

#define FIVE "'replicas':5"
#define IN_PLACE "'type':'InPlaceIfPossible'"
#define ALPHA(spec, annotations)                                                          \
	"{'apiVersion':'apps.kruise.io/v1alpha1','metadata':{'annotations':{" annotations \
	"}},'spec':{" spec "}}"
#define BETA(spec) "{'apiVersion':'apps.kruise.io/v1beta1','spec':{" spec "}}"

/* covers: cloneset:C8 */
static void decides(void **state)
{
	static const struct {
		const char *cloneset, *label;
		bool possible, no_image;
		int32_t ready;
		enum predownload want;
	} table[] = {
	    {ALPHA(FIVE ",'updateStrategy':{" IN_PLACE "}", ""), NULL, true, false, 0,
	     PREDOWNLOAD_CREATE},
	    {ALPHA(FIVE ",'updateStrategy':{" IN_PLACE "}", ""), LABEL_PREDOWNLOAD_CREATED, true,
	     false, 0, PREDOWNLOAD_DECIDED},
	    {ALPHA(FIVE ",'updateStrategy':{" IN_PLACE "}", ""), LABEL_PREDOWNLOAD_IGNORED, true,
	     false, 0, PREDOWNLOAD_DECIDED},
	    {ALPHA(FIVE ",'updateStrategy':{" IN_PLACE "}", ""), NULL, false, false, 0,
	     PREDOWNLOAD_IGNORE},
	    /* labels alone change */
	    {ALPHA(FIVE ",'updateStrategy':{" IN_PLACE "}", ""), NULL, true, true, 0,
	     PREDOWNLOAD_IGNORE},
	    {ALPHA(FIVE, ""), NULL, true, false, 0, PREDOWNLOAD_IGNORE},
	    {ALPHA("'replicas':3,'updateStrategy':{" IN_PLACE "}", ""), NULL, true, false, 0,
	     PREDOWNLOAD_IGNORE},
	    {ALPHA("'replicas':4,'updateStrategy':{" IN_PLACE "}", ""), NULL, true, false, 0,
	     PREDOWNLOAD_CREATE},
	    {ALPHA(FIVE ",'updateStrategy':{" IN_PLACE ",'maxUnavailable':'100%'}", ""), NULL, true,
	     false, 0, PREDOWNLOAD_IGNORE},
	    {ALPHA(FIVE ",'updateStrategy':{" IN_PLACE ",'maxUnavailable':5,'partition':1}", ""),
	     NULL, true, false, 0, PREDOWNLOAD_CREATE},
	    /* some pods must run well with the images first */
	    {ALPHA(FIVE ",'updateStrategy':{" IN_PLACE "}",
		   "'apps.kruise.io/image-predownload-min-updated-ready-pods':'2'"),
	     NULL, true, false, 1, PREDOWNLOAD_LATER},
	    {ALPHA(FIVE ",'updateStrategy':{" IN_PLACE "}",
		   "'apps.kruise.io/image-predownload-min-updated-ready-pods':'40%'"),
	     NULL, true, false, 2, PREDOWNLOAD_CREATE},
	    {ALPHA(FIVE ",'updateStrategy':{" IN_PLACE "}",
		   "'apps.kruise.io/image-predownload-min-updated-ready-pods':'often'"),
	     NULL, true, false, 0, PREDOWNLOAD_CREATE},
	    {BETA(FIVE ",'updateStrategy':{'rollingUpdate':{'podUpdatePolicy':'InPlaceIfPossible',"
		       "'inPlaceUpdateStrategy':{'imagePreDownloadMinUpdatedReadyPods':3}}}"),
	     NULL, true, false, 2, PREDOWNLOAD_LATER},
	};
	const struct gates gates = gates_default();

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val cloneset = js(a, table[i].cloneset), revision = val_map();
		struct inplace_image image = {str_of("main"), str_of("x:2")};
		const struct inplace_spec change = {.possible = table[i].possible,
						    .images = &image,
						    .n_images = !table[i].no_image};
		struct cloneset_spec spec;

		print_message("%zu: %s\n", i, table[i].cloneset);
		if (table[i].label)
			val_set(
			    a,
			    val_ensure_map(a, val_ensure_map(a, &revision, "metadata"), "labels"),
			    table[i].label, val_of_str("true"));
		assert_int_equal(cloneset_spec_from(&cloneset, &gates, false, &spec, NULL), 0);
		assert_int_equal(
		    predownload_decide(&cloneset, &spec, &revision, &change, table[i].ready),
		    table[i].want);
	}
}

static void the_job(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val cloneset = js(a, "{'apiVersion':'apps.kruise.io/v1beta1','kind':'CloneSet','metadata':{"
			     "'namespace':'n','name':'web','uid':'u'},'spec':{'selector':{"
			     "'matchExpressions':[{'key':'a','operator':'Exists'}]},'template':{"
			     "'metadata':{'labels':{'a':'1'}}},'updateStrategy':{'rollingUpdate':{"
			     "'inPlaceUpdateStrategy':{'imagePreDownloadParallelism':'30%',"
			     "'imagePreDownloadTimeoutSeconds':9}}}}}");
	val revision =
	    js(a, "{'metadata':{'name':'web-77','labels':{'controller.kubernetes.io/hash':"
		  "'77'}}}");
	const struct inplace_image image = {str_of("main"), str_of("x:2")};
	val want =
	    js(a, "{'apiVersion':'apps.kruise.io/v1alpha1','kind':'ImagePullJob','metadata':{"
		  "'name':'web-77-main','namespace':'n','labels':{'a':'1',"
		  "'controller.kubernetes.io/hash':'77'},'ownerReferences':[{'apiVersion':"
		  "'apps.kruise.io/v1alpha1','kind':'CloneSet','name':'web','uid':'u',"
		  "'controller':true,'blockOwnerDeletion':true}]},'spec':{'image':'x:2',"
		  "'podSelector':{'matchExpressions':[{'key':'a','operator':'Exists'},{'key':"
		  "'controller-revision-hash','operator':'NotIn','values':['web-77','77']}]},"
		  "'parallelism':'30%','pullPolicy':{'backoffLimit':1,'timeoutSeconds':9},"
		  "'completionPolicy':{'type':'Always','ttlSecondsAfterFinished':600},"
		  "'sandboxConfig':{'labels':{'a':'1','controller.kubernetes.io/hash':'77'}}}}");
	val job = predownload_job(a, &cloneset, &revision, &image);

	(void)state;
	if (!val_equal(&job, &want))
		print_error("%s\n", json_str(a, &job, 0));
	assert_true(val_equal(&job, &want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(decides),
	    cmocka_unit_test(the_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
