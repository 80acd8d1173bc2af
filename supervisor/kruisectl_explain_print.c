/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"
#include "kube/time.h"
#include "rules/revision.h"
#include "supervisor/kruisectl.h"
#include "supervisor/kruisectl_explain.h"

#include <stdio.h>
#include <string.h>

#define MAX_LINES 20   /* of a group, unless all are asked for */
#define MAX_WORDS 1000 /* of a message of kubelet's */

static const char *type_name(const struct cloneset_spec *s)
{
	static const char *const names[] = {
	    [CLONESET_RECREATE] = "ReCreate",
	    [CLONESET_INPLACE_IF_POSSIBLE] = "InPlaceIfPossible",
	    [CLONESET_INPLACE_ONLY] = "InPlaceOnly",
	};
	return names[s->type];
}

static void print_head(const struct view *v)
{
	const struct cloneset_status *st = &v->status;
	char now[K8S_TIME_LEN], age[32];
	format_usec(v->store_age_usec < 0 ? UINT64_MAX : (uint64_t)v->store_age_usec, age,
		    sizeof(age));
	printf("CloneSet %.*s/%.*s  generation %lld, seen by the controller: %lld\n",
	       STR_ARG(v->ns), STR_ARG(v->name), (long long)v->generation,
	       (long long)st->observed_generation);
	printf("  time      %s; store %s behind; this replica leads: %s\n",
	       k8s_time_format(now, sizeof(now), v->now), age, v->leader ? "yes" : "no");
	if (!v->judged)
		return;
	printf("  pods      %zu of %d; ready %d, available %d, at the update revision %d of %d\n",
	       v->st.n, v->spec.replicas, st->ready, st->available, st->updated,
	       v->c.expected_updated);
	printf("  revision  %.*s%s%.*s\n", STR_ARG(st->update_revision),
	       str_eq(st->update_revision, st->current_revision) ? "" : ", before it ",
	       str_eq(st->update_revision, st->current_revision) ? 0 : (int)st->current_revision.n,
	       st->current_revision.p ? st->current_revision.p : "");
	printf("  update    %s%s, partition %d, maxUnavailable %d, maxSurge %d%s\n",
	       type_name(&v->spec), v->spec.on_delete ? " (OnDelete)" : "", v->spec.partition,
	       v->spec.max_unavailable, v->spec.max_surge, v->spec.paused ? ", paused" : "");
}

static void print_verdicts(const struct view *v)
{
	_cleanup_buf_ struct buf text = {0};
	printf("\n");
	for (size_t i = 0; i < v->n_remarks; i++)
		printf("%s: %s\n", cloneset_stand_name(v->remarks[i].stand), v->remarks[i].text);
	if (!v->judged)
		return;
	cloneset_verdict_text(&text, &v->x, &v->verdict);
	printf("%s: %s\n", cloneset_stand_name(v->verdict.stand), buf_str(&text));
}

static int widest(const struct view *v)
{
	size_t w = 0;
	for (size_t i = 0; i < v->st.n; i++) {
		size_t n = strlen(v->st.pods[i]->name);
		w = n > w ? n : w;
	}
	return (int)w;
}

static void print_pod(const struct view *v, size_t i, int width)
{
	_cleanup_buf_ struct buf detail = {0};
	struct str revision = revision_short(str_of(v->st.pods[i]->revision));
	cloneset_pod_detail(&detail, &v->x, v->steps[i], i, MAX_WORDS);
	printf("  %-*s  %-10.*s%s%s\n", width, v->st.pods[i]->name, STR_ARG(revision),
	       detail.len ? "  " : "", buf_str(&detail));
}

static void print_group(const struct view *v, enum cloneset_step step, int width, bool all)
{
	size_t n = 0, shown = 0;
	for (size_t i = 0; i < v->st.n; i++)
		n += v->steps[i] == step;
	if (n == 0)
		return;
	printf("\n%s (%zu %s)\n", cloneset_step_text(step), n, n == 1 ? "pod" : "pods");
	for (size_t i = 0; i < v->st.n && (all || shown < MAX_LINES); i++) {
		if (v->steps[i] != step)
			continue;
		print_pod(v, i, width);
		shown++;
	}
	if (shown < n)
		printf("  and %zu more; --all shows them\n", n - shown);
}

void explain_print(const struct view *v, bool all)
{
	print_head(v);
	print_verdicts(v);
	if (!v->judged)
		return;
	int width = widest(v);
	for (int s = 0; s < N_STEPS; s++)
		print_group(v, (enum cloneset_step)s, width, all);
	if (v->n_inactive)
		printf("\nno longer counted (%zu %s)\n", v->n_inactive,
		       v->n_inactive == 1 ? "pod" : "pods");
	for (size_t i = 0; i < v->n_inactive && (all || i < MAX_LINES); i++)
		printf("  %-*s  %s\n", width, v->inactive[i].name, v->inactive[i].text);
}

/* ---- JSON ---- */

static val verdict_val(arena *a, enum cloneset_stand stand, const char *text)
{
	val v = val_map();
	val_set(a, &v, "reason", val_of_str(cloneset_stand_name(stand)));
	val_set(a, &v, "message", val_of_strdup(a, str_of(text)));
	return v;
}

static val pod_val(const struct view *v, size_t i)
{
	_cleanup_buf_ struct buf detail = {0};
	val pod = val_map();
	cloneset_pod_detail(&detail, &v->x, v->steps[i], i, MAX_WORDS);
	val_set(v->a, &pod, "name", val_of_str(v->st.pods[i]->name));
	val_set(v->a, &pod, "revision", val_of_str(v->st.pods[i]->revision));
	val_set(v->a, &pod, "step", val_of_str(cloneset_step_name(v->steps[i])));
	val_set(v->a, &pod, "message", val_of_str(cloneset_step_text(v->steps[i])));
	if (detail.len)
		val_set(v->a, &pod, "detail", val_of_strdup(v->a, str_of(buf_str(&detail))));
	return pod;
}

static void add_pods(const struct view *v, val *out)
{
	arena *a = v->a;
	val pods = val_array_sized(a, v->st.n), gone = val_array();
	for (size_t i = 0; i < v->st.n; i++)
		*val_at_mut(&pods, i) = pod_val(v, i);
	for (size_t i = 0; i < v->n_inactive; i++) {
		val one = val_map();
		val_set(a, &one, "name", val_of_str(v->inactive[i].name));
		val_set(a, &one, "message", val_of_str(v->inactive[i].text));
		val_push(a, &gone, one);
	}
	val_set(a, out, "pods", pods);
	val_set(a, out, "inactivePods", gone);
}

void explain_print_json(const struct view *v)
{
	arena *a = v->a;
	_cleanup_buf_ struct buf text = {0}, json = {0};
	val out = val_map(), remarks = val_array();
	val_set(a, &out, "namespace", val_of_strn(v->ns));
	val_set(a, &out, "name", val_of_strn(v->name));
	val_set(a, &out, "generation", val_of_int(v->generation));
	val_set(a, &out, "leader", val_of_bool(v->leader));
	for (size_t i = 0; i < v->n_remarks; i++)
		val_push(a, &remarks, verdict_val(a, v->remarks[i].stand, v->remarks[i].text));
	val_set(a, &out, "remarks", remarks);
	if (v->judged) {
		cloneset_verdict_text(&text, &v->x, &v->verdict);
		val_set(a, &out, "verdict", verdict_val(a, v->verdict.stand, buf_str(&text)));
		add_pods(v, &out);
	}
	json_print(&json, &out, JSON_PRETTY);
	printf("%s\n", buf_str(&json));
}
