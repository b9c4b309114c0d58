// SPDX-License-Identifier: Apache-2.0
// Jostle in C++: checks that explore the schedules of a body, properties that explore its inputs,
// too.
//
//     jostle::check([] {
//       Account a(100);
//       std::thread one([&] { a.withdraw(60); }), two([&] { a.withdraw(60); });
//       one.join();
//       two.join();
//       assert(a.balance() >= 0);
//     });
//
//     jostle::property("withdrawals", jostle::gen::range(0, 100), [](int amount) { … });
//
// An ordinary program that is linked with libjostle does this by itself; nothing has to run around
// it. Built with `jostle c++` (or jostle_add_test of the CMake package) every memory access is a
// place where threads may change; without that, every synchronisation call is. See
// docs/properties.md.
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/jostle.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <jostle/check.hpp>
#include <jostle/gen.hpp>
#include <jostle/property.hpp>
