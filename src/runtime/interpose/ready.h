// A program that is to call jostle_ready() and ends without: nothing has been searched, and that
// has to be said.
#pragma once

namespace jostle::rt {

void note_end_without_ready();

}  // namespace jostle::rt
