/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_CLONESET_CLONESET_H
#define WORKERS_CLONESET_CLONESET_H

/* The CloneSet controller's process. */
int cloneset_main(int argc, char **argv);

#endif
