/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLUSTER_NB_H
#define CLUSTER_NB_H

/* Notifications of the daemon as a whole. */
extern void cluster_nb_init(void);

#endif /* CLUSTER_NB_H */
