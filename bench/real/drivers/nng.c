// SPDX-License-Identifier: Apache-2.0
// A sleep that ends by its time, and then the end of the library.
#include <nng/nng.h>
#include <stddef.h>

int main(void) {
  nng_aio* aio;
  if (nng_aio_alloc(&aio, NULL, NULL) != 0) return 1;
  nng_sleep_aio(1, aio);
  nng_aio_wait(aio);
  nng_fini();
  return 0;
}
