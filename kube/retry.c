/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/rest_int.h"

#include <string.h>
#include <sys/random.h>

#define BACKOFF_FIRST_MS 50
#define BACKOFF_LAST_MS 1000
#define RETRY_AFTER_MAX_MS 30000

/* Up to a tenth more, so that clients which were turned away together do not return together. */
static int64_t with_jitter(int64_t ms)
{
	uint16_t r = 0;
	if (getrandom(&r, sizeof(r), GRND_NONBLOCK) < 0)
		r = 0;
	return ms + ms * r / (10 * UINT16_MAX);
}

static int64_t backoff_ms(int tries)
{
	int64_t ms = BACKOFF_FIRST_MS;
	for (int i = 0; i < tries && ms < BACKOFF_LAST_MS; i++)
		ms *= 2;
	return with_jitter(ms < BACKOFF_LAST_MS ? ms : BACKOFF_LAST_MS);
}

bool retry_unsent(CURL *easy, CURLcode result)
{
	switch (result) {
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_SSL_CONNECT_ERROR:
		return true;
	case CURLE_OPERATION_TIMEDOUT: {
		curl_off_t ready = 0;
		curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &ready);
		return ready == 0;
	}
	default:
		return false;
	}
}

static int64_t after_transport_error(const struct k8s_call *call, CURLcode result)
{
	static const CURLcode lost[] = {
	    CURLE_SEND_ERROR, CURLE_RECV_ERROR,	  CURLE_GOT_NOTHING,
	    CURLE_HTTP2,      CURLE_HTTP2_STREAM, CURLE_PARTIAL_FILE,
	};
	if (call->t.slot && retry_unsent(call->t.slot->easy, result))
		return backoff_ms(call->tries);
	if (strcmp(call->method, "GET") != 0)
		return -1;
	if (result == CURLE_OPERATION_TIMEDOUT)
		return call->timed_out_once ? -1 : backoff_ms(call->tries);
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		if (result == lost[i])
			return backoff_ms(call->tries);
	}
	return -1;
}

int64_t retry_delay_ms(const struct k8s_call *call, CURLcode result, long code, long retry_after)
{
	if (call->tries >= call->t.client->max_retries || call->failure || call->too_large)
		return -1;
	if (result != CURLE_OK)
		return after_transport_error(call, result);
	/* these two say that the server did nothing */
	if (code == 429 || (code == 503 && retry_after > 0)) {
		int64_t ms = retry_after > 0 ? (int64_t)retry_after * 1000 : 1000;
		return with_jitter(ms < RETRY_AFTER_MAX_MS ? ms : RETRY_AFTER_MAX_MS);
	}
	if (code >= 500 && strcmp(call->method, "GET") == 0)
		return backoff_ms(call->tries);
	return -1;
}
