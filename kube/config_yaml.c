/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config_int.h"

#include <errno.h>
#include <string.h>
#include <yaml.h>

#define MAX_DEPTH 32
/* A kubeconfig has dozens of nodes; aliases could otherwise multiply them without end. */
#define MAX_NODES 200000

struct reader {
	arena *arena;
	yaml_document_t *doc;
	size_t nodes;
	struct err *e;
};

static int read_node(struct reader *r, int index, int depth, val *out);

static val read_scalar(struct reader *r, const yaml_node_t *node)
{
	struct str s = {(const char *)node->data.scalar.value, node->data.scalar.length};
	if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
		static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
		for (size_t i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++) {
			if (str_is(s, nulls[i]))
				return val_null();
		}
		if (str_is(s, "true") || str_is(s, "True"))
			return val_of_bool(true);
		if (str_is(s, "false") || str_is(s, "False"))
			return val_of_bool(false);
	}
	return val_of_strdup(r->arena, s);
}

static int read_sequence(struct reader *r, const yaml_node_t *node, int depth, val *out)
{
	const yaml_node_item_t *from = node->data.sequence.items.start;
	size_t n = (size_t)(node->data.sequence.items.top - from);
	*out = val_array();
	if (n == 0)
		return 0;
	out->via.array.ptr = arena_alloc(r->arena, n * sizeof(val));
	for (size_t i = 0; i < n; i++) {
		int rc = read_node(r, from[i], depth + 1, &out->via.array.ptr[i]);
		if (rc < 0)
			return rc;
	}
	out->via.array.size = (uint32_t)n;
	return 0;
}

static int read_mapping(struct reader *r, const yaml_node_t *node, int depth, val *out)
{
	const yaml_node_pair_t *from = node->data.mapping.pairs.start;
	size_t n = (size_t)(node->data.mapping.pairs.top - from);
	*out = val_map();
	if (n == 0)
		return 0;
	out->via.map.ptr = arena_alloc(r->arena, n * sizeof(msgpack_object_kv));
	for (size_t i = 0; i < n; i++) {
		const yaml_node_t *key = yaml_document_get_node(r->doc, from[i].key);
		if (!key || key->type != YAML_SCALAR_NODE)
			return err_set(r->e, EINVAL, "line %zu: a key is no string",
				       key ? key->start_mark.line + 1 : 0);
		msgpack_object_kv *kv = &out->via.map.ptr[i];
		struct str s = {(const char *)key->data.scalar.value, key->data.scalar.length};
		kv->key = val_of_strdup(r->arena, s);
		int rc = read_node(r, from[i].value, depth + 1, &kv->val);
		if (rc < 0)
			return rc;
		out->via.map.size = (uint32_t)i + 1;
	}
	return 0;
}

static int read_node(struct reader *r, int index, int depth, val *out)
{
	const yaml_node_t *node = yaml_document_get_node(r->doc, index);
	if (!node || depth > MAX_DEPTH || ++r->nodes > MAX_NODES)
		return err_set(r->e, EINVAL, "nested too deeply, or too much by aliases");
	switch (node->type) {
	case YAML_SCALAR_NODE:
		*out = read_scalar(r, node);
		return 0;
	case YAML_SEQUENCE_NODE:
		return read_sequence(r, node, depth, out);
	case YAML_MAPPING_NODE:
		return read_mapping(r, node, depth, out);
	default:
		*out = val_null();
		return 0;
	}
}

int config_yaml_parse(arena *a, const char *p, size_t n, val *out, struct err *e)
{
	yaml_parser_t parser;
	yaml_document_t doc;
	if (n > CONFIG_MAX_FILE)
		return err_set(e, EFBIG, "larger than %zu bytes", CONFIG_MAX_FILE);
	if (!yaml_parser_initialize(&parser))
		return err_set(e, ENOMEM, "out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)p, n);
	if (!yaml_parser_load(&parser, &doc)) {
		err_set(e, EINVAL, "line %zu: no valid YAML: %s", parser.problem_mark.line + 1,
			parser.problem ? parser.problem : "malformed");
		yaml_parser_delete(&parser);
		return -EINVAL;
	}
	struct reader r = {.arena = a, .doc = &doc, .e = e};
	const yaml_node_t *root = yaml_document_get_root_node(&doc);
	int rc = 0;
	if (root)
		rc = read_node(&r, 1, 0, out);
	else
		*out = val_null();
	yaml_document_delete(&doc);
	yaml_parser_delete(&parser);
	return rc;
}
