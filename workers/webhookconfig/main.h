/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_WEBHOOKCONFIG_MAIN_H
#define WORKERS_WEBHOOKCONFIG_MAIN_H

/*
 * Keeps admission reachable: makes and renews the certificates (a Secret, or files), hands the
 * current pair to webhookd through RUNDIR/webhook, and keeps both webhook configurations and the
 * conversion of our CRDs pointing at us. Runs on every replica.
 */
int webhookconfig_main(int argc, char **argv);

#endif
