/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_PODREADINESS_PODREADINESS_H
#define WORKERS_PODREADINESS_PODREADINESS_H

/* Sets condition KruisePodReady once on pods that have that readiness gate and lack the condition.
 */
int podreadiness_main(int argc, char **argv);

#endif
