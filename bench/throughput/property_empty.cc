// A property that does nothing with its input.
#include <jostle/jostle.hpp>

int main() {
  jostle::property("empty", jostle::gen::any<int>(), [](int) {});
}

// SPDX-License-Identifier: Apache-2.0
