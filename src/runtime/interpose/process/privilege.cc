// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/process/privilege.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/raw_syscall.h"

namespace jostle::rt {

bool has_capability(int capability) {
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (raw_syscall(SYS_capget, reinterpret_cast<long>(&header), reinterpret_cast<long>(data)) != 0) {
    return false;
  }
  return data[capability / 32].effective >> (capability % 32) & 1;
}

}  // namespace jostle::rt
