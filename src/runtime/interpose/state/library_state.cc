// SPDX-License-Identifier: Apache-2.0
// What libc and the C++ library keep for the whole process: the locale, random numbers, what to
// call when there is no way on.
#include <getopt.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <syslog.h>

#include "src/runtime/interpose/state/no_steps.h"

using namespace jostle::rt;

#define IS_NO_STEP(type, function, parameters, arguments) \
  JOSTLE_HOOK type function parameters noexcept {         \
    is_no_step();                                         \
    return REAL(function) arguments;                      \
  }

IS_NO_STEP(char*, setlocale, (int category, const char* name), (category, name))
IS_NO_STEP(int, rand, (), ())
IS_NO_STEP(void, srand, (unsigned seed), (seed))
IS_NO_STEP(long, random, (), ())
IS_NO_STEP(void, srandom, (unsigned seed), (seed))
IS_NO_STEP(double, drand48, (), ())
IS_NO_STEP(long, lrand48, (), ())
IS_NO_STEP(long, mrand48, (), ())
IS_NO_STEP(void, srand48, (long seed), (seed))

IS_NO_STEP(int, setlogmask, (int mask), (mask))
IS_NO_STEP(int, pthread_setconcurrency, (int level), (level))
IS_NO_STEP(int, pthread_setattr_default_np, (const pthread_attr_t* attributes), (attributes))
IS_NO_STEP(int, hcreate, (size_t size), (size))
IS_NO_STEP(void, hdestroy, (), ())
IS_NO_STEP(ENTRY*, hsearch, (ENTRY item, ACTION what), (item, what))
IS_NO_STEP(struct mallinfo2, mallinfo2, (), ())
IS_NO_STEP(int, getopt, (int count, char* const* words, const char* letters),
           (count, words, letters))
IS_NO_STEP(int, getopt_long,
           (int count, char* const* words, const char* letters, const option* names, int* index),
           (count, words, letters, names, index))

// std::pmr::set_default_resource.
extern "C" void* _ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE(void* resource) noexcept;
IS_NO_STEP(void*, _ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE, (void* resource),
           (resource))

// std::set_terminate, std::set_unexpected, std::set_new_handler.
extern "C" {
using Handler = void (*)();
Handler _ZSt13set_terminatePFvvE(Handler handler) noexcept;
Handler _ZSt14set_unexpectedPFvvE(Handler handler) noexcept;
Handler _ZSt15set_new_handlerPFvvE(Handler handler) noexcept;
}
IS_NO_STEP(Handler, _ZSt13set_terminatePFvvE, (Handler handler), (handler))
IS_NO_STEP(Handler, _ZSt14set_unexpectedPFvvE, (Handler handler), (handler))
IS_NO_STEP(Handler, _ZSt15set_new_handlerPFvvE, (Handler handler), (handler))
