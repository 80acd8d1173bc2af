/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_CONTAINERLAUNCHPRIORITY_CONTAINERLAUNCHPRIORITY_H
#define WORKERS_CONTAINERLAUNCHPRIORITY_CONTAINERLAUNCHPRIORITY_H

/* Lets the containers of pods with launch priorities start one after the other
 * (rules/launchpriority.h). */
int containerlaunchpriority_main(int argc, char **argv);

#endif
