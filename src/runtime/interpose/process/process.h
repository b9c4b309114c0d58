// SPDX-License-Identifier: Apache-2.0
// What has to be done before a process is created.
#pragma once

namespace jostle::rt {

void before_child();

}  // namespace jostle::rt
