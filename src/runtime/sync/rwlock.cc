// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/rwlock.h"

#include <cerrno>

#include "src/base/check.h"

namespace jostle::sync {
namespace {

constexpr uint32_t kWriteLocked = 2;
constexpr int kReaderShift = 3;
constexpr uint32_t kOneReader = 1u << kReaderShift;
constexpr uint32_t kDestroyed = UINT32_MAX;

int unlock_write(Rwlock& rw) {
  rw.writer = 0;
  rw.readers &= ~kWriteLocked;
  JOSTLE_CHECK(!is_held_for_writing(rw));
  return 0;
}

int unlock_read(Rwlock& rw, Owner me) {
  const bool unknown_readers = reader_count(rw) > rw.known_readers;
  if (unknown_readers && me == kMainThread) {  // it was taken before our control began
    rw.readers -= kOneReader;
    return 0;
  }
  if (rw.known_readers == 0) return kMisuse;
  JOSTLE_CHECK(!is_held_for_writing(rw));
  const uint64_t sum = rw.reader_sum - static_cast<uint64_t>(me);
  if (rw.known_readers == 1 && sum != 0) return kMisuse;
  rw.reader_sum = sum;
  --rw.known_readers;
  rw.readers -= kOneReader;
  return 0;
}

}  // namespace

bool is_initialised(const Rwlock& rw) {
  return rw.kind <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}
bool is_destroyed(const Rwlock& rw) { return rw.kind == kDestroyed; }
void destroy(Rwlock& rw) { rw.kind = kDestroyed; }

uint32_t reader_count(const Rwlock& rw) { return rw.readers >> kReaderShift; }
bool is_held_for_writing(const Rwlock& rw) { return rw.readers & kWriteLocked; }
bool is_held(const Rwlock& rw) { return is_held_for_writing(rw) || reader_count(rw) != 0; }
bool is_held_for_writing_by(const Rwlock& rw, Owner who) {
  return is_held_for_writing(rw) && stored_owner(rw.writer) == who;
}
bool prefers_writers(const Rwlock& rw) {
  return rw.kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

bool can_read(const Rwlock& rw, Owner me) {
  if (is_held_for_writing(rw)) return is_held_for_writing_by(rw, me);
  return rw.waiting_writers == 0;
}

bool can_write(const Rwlock& rw, Owner me) {
  return !is_held(rw) || is_held_for_writing_by(rw, me);
}

int lock_read(Rwlock& rw, Owner me) {
  JOSTLE_CHECK(can_read(rw, me));
  if (is_held_for_writing(rw)) return EDEADLK;
  if (reader_count(rw) == kMaxReaders) return EAGAIN;
  rw.readers += kOneReader;
  ++rw.known_readers;
  rw.reader_sum += static_cast<uint64_t>(me);
  JOSTLE_CHECK(reader_count(rw) != 0 && !is_held_for_writing(rw));
  return 0;
}

int lock_write(Rwlock& rw, Owner me) {
  JOSTLE_CHECK(can_write(rw, me));
  if (is_held_for_writing(rw)) return EDEADLK;
  rw.readers |= kWriteLocked;
  rw.writer = static_cast<int32_t>(me);
  JOSTLE_CHECK(is_held_for_writing_by(rw, me) && reader_count(rw) == 0);
  return 0;
}

int try_lock_read(Rwlock& rw, Owner me) {
  if (is_held_for_writing(rw) || !can_read(rw, me)) return EBUSY;
  return lock_read(rw, me);
}

int try_lock_write(Rwlock& rw, Owner me) { return is_held(rw) ? EBUSY : lock_write(rw, me); }

int unlock(Rwlock& rw, Owner me) {
  if (is_held_for_writing(rw)) return is_held_for_writing_by(rw, me) ? unlock_write(rw) : kMisuse;
  return reader_count(rw) == 0 ? kMisuse : unlock_read(rw, me);
}

void add_waiting_writer(Rwlock& rw) { rw.waiting_writers += prefers_writers(rw); }
void remove_waiting_writer(Rwlock& rw) { rw.waiting_writers -= prefers_writers(rw); }

}  // namespace jostle::sync
