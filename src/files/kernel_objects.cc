// SPDX-License-Identifier: Apache-2.0
#include "src/files/kernel_objects.h"

#include <string.h>
#include <sys/ipc.h>
#include <sys/syscall.h>

#include "src/base/raw_syscall.h"

namespace jostle::files {
namespace {

using channel::FileJournal;
using channel::KernelObjectRecord;

bool is(const KernelObjectRecord& record, KernelObjectKind kind, int id, const char* name) {
  return record.kind.load() == kind && record.id == id && strcmp(record.name, name) == 0;
}

// Only raw system calls, as for files.
void remove(KernelObjectKind kind, const KernelObjectRecord& record) {
  switch (kind) {
    case KernelObjectKind::none:
    case KernelObjectKind::being_noted:
      break;
    case KernelObjectKind::memory:
      raw_syscall(SYS_shmctl, record.id, IPC_RMID);
      break;
    case KernelObjectKind::semaphores:
      raw_syscall(SYS_semctl, record.id, 0, IPC_RMID);
      break;
    case KernelObjectKind::messages:
      raw_syscall(SYS_msgctl, record.id, IPC_RMID);
      break;
    case KernelObjectKind::queue:
      raw_syscall(SYS_mq_unlink, reinterpret_cast<long>(record.name));
      break;
  }
}

}  // namespace

void note_object_made(FileJournal& journal, KernelObjectKind kind, int id, const char* name) {
  if (journal.care != channel::FileCare::restore || strlen(name) >= sizeof journal.objects[0].name)
    return;
  journal.has_made_objects = 1;
  // The program's children come here, too.
  for (KernelObjectRecord& record : journal.objects) {
    KernelObjectKind none = KernelObjectKind::none;
    if (!record.kind.compare_exchange_strong(none, KernelObjectKind::being_noted)) continue;
    record.id = id;
    strcpy(record.name, name);
    record.kind = kind;
    return;
  }
}

void note_object_removed(FileJournal& journal, KernelObjectKind kind, int id, const char* name) {
  for (KernelObjectRecord& record : journal.objects) {
    if (is(record, kind, id, name)) record.kind = KernelObjectKind::none;
  }
}

void remove_left_objects(FileJournal& journal) {
  if (journal.has_made_objects == 0)
    return;  // sixty-four exchanges a run cost a twentieth of a short one
  for (KernelObjectRecord& record : journal.objects) {
    const KernelObjectKind kind = record.kind.exchange(KernelObjectKind::none);
    remove(kind, record);
  }
}

}  // namespace jostle::files
