/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_ELECTOR_ELECTOR_H
#define WORKERS_ELECTOR_ELECTOR_H

/*
 * The elector holds the Lease and tells the supervisor until when leadership is certain: the time
 * of the last renewal that succeeded plus the renew deadline. It never says "leader" without an
 * end, so that a hung or dead elector ends leadership by itself. On a clean stop it waits until the
 * supervisor has reported no running leader worker, then releases the Lease.
 */
int elector_main(int argc, char **argv);

#endif
