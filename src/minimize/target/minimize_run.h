// SPDX-License-Identifier: Apache-2.0
// A campaign of another kind: the channel's input is a schedule that fails, and a smaller one that
// fails in the same way is looked for, at the speed of a campaign.
//
// Every improvement goes to the command as a finding, so that the best one is there whatever
// happens to this process; at the end come schedules next to it that pass.
#pragma once

namespace jostle::engine {

[[noreturn]] void minimize_schedule();

}  // namespace jostle::engine
