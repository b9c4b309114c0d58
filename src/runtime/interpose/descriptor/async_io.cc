// SPDX-License-Identifier: Apache-2.0
// Input and output by libc's own helper threads: not controlled, said once.
#include <aio.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/snapshot/leave.h"

using namespace jostle::rt;

namespace {

void note_request(const sigevent* event) {
  if (!controlled()) return;
  if (event && event->sigev_notify == SIGEV_THREAD) {
    unsupported("asynchronous input/output with SIGEV_THREAD calls back in a thread of libc's own");
  }
  needs_own_process("uses asynchronous input/output");
  note_uncontrolled(jostle::channel::kAsyncIo);
}

}  // namespace

// The 64-bit variants are the same functions on 64-bit machines.
JOSTLE_HOOK int aio_read(aiocb* request) noexcept {
  note_request(&request->aio_sigevent);
  return REAL(aio_read)(request);
}
JOSTLE_ALIAS(aio_read64, aio_read);

JOSTLE_HOOK int aio_write(aiocb* request) noexcept {
  note_request(&request->aio_sigevent);
  return REAL(aio_write)(request);
}
JOSTLE_ALIAS(aio_write64, aio_write);

JOSTLE_HOOK int aio_fsync(int operation, aiocb* request) noexcept {
  note_request(&request->aio_sigevent);
  return REAL(aio_fsync)(operation, request);
}
JOSTLE_ALIAS(aio_fsync64, aio_fsync);

JOSTLE_HOOK int lio_listio(int mode, aiocb* const requests[], int count, sigevent* event) noexcept {
  note_request(event);
  return REAL(lio_listio)(mode, requests, count, event);
}
JOSTLE_ALIAS(lio_listio64, lio_listio);
