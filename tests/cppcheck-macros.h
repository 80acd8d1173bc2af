/* SPDX-License-Identifier: Apache-2.0 */
/* For cppcheck, which does not see into /usr/include: what uthash's loops are, in its terms. */
#define HASH_ITER(hh, head, el, tmp) for ((el) = (head), (tmp) = NULL; (el); (el) = (tmp))
#define LL_FOREACH_SAFE(head, el, tmp) for ((el) = (head), (tmp) = NULL; (el); (el) = (tmp))
