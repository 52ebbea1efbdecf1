/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Items of hub clustering as a version that is to come may say them. */
#ifndef TESTS_SIM_HC_NEWER_H
#define TESTS_SIM_HC_NEWER_H

#include "hubcluster/hc_codec.h"

#define SIM_HC_NEWER_MAX (CTL_PAYLOAD_MAX + 8)

/* The same with more flags, other reasons, fields behind; its length. */
extern size_t sim_hc_newer(uint16_t type, const uint8_t *data, size_t len,
			   uint8_t buf[SIM_HC_NEWER_MAX]);

#endif /* TESTS_SIM_HC_NEWER_H */
