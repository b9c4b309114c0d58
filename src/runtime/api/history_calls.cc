// SPDX-License-Identifier: Apache-2.0
// The C functions behind <jostle/linearizable.hpp>.
#include <stdio.h>

#include "include/jostle/jostle.h"
#include "src/runtime/heap/showing.h"
#include "src/runtime/history/order_session.h"
#include "src/runtime/history/run_history.h"
#include "src/runtime/hook/hook.h"

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK void jostle_history_begin(unsigned count, const unsigned char* slots) {
  if (controlled()) begin_history(count, slots, CALLER());
}

JOSTLE_HOOK void jostle_operation_begin(unsigned number) {
  if (controlled()) begin_operation(number, CALLER());
}

JOSTLE_HOOK void jostle_operation_end(unsigned number, uint64_t result, int is_address) {
  if (controlled()) end_operation(number, result, is_address != 0, CALLER());
}

JOSTLE_HOOK int jostle_is_quiescent() { return controlled() && !is_reference() && is_quiescent(); }

JOSTLE_HOOK void jostle_show_operation(unsigned number, const char* call, const char* result) {
  if (!is_showing() || number >= kMostOperations) return;
  OperationText& text = g_scheduler.record().operation_texts[number];
  if (call) snprintf(text.call, sizeof text.call, "%s", call);
  if (result) snprintf(text.result, sizeof text.result, "%s", result);
}

JOSTLE_HOOK void jostle_history_end(const char* file, unsigned line) {
  if (controlled()) end_history(file, line, CALLER());
}

JOSTLE_HOOK int jostle_in_reference() { return is_reference(); }

JOSTLE_HOOK int jostle_in_order_session() { return controlled() && g_order_session; }

JOSTLE_HOOK const unsigned char* jostle_next_order(unsigned* count, int* is_new) {
  if (!controlled() || !g_order_session) return nullptr;
  const EngineVector<uint8_t>* const order = g_order_session->next_order(*is_new);
  if (!order) return nullptr;
  g_scheduler.record().draws.count = 0;
  *count = static_cast<unsigned>(order->size());
  return order->begin();
}

JOSTLE_HOOK void jostle_history_standstill(const jostle_standstill* test) {
  if (!controlled()) return;
  plan_standstill({.promise = static_cast<Promise>(test->promise),
                   .operation = test->operation,
                   .after = test->after,
                   .partner = test->partner,
                   .turn = test->turn,
                   .partner_turn = test->partner_turn,
                   .bound = test->bound,
                   .state = Standstill::planned});
}

JOSTLE_HOOK int jostle_stands_still() { return controlled() && stands_still(); }

JOSTLE_HOOK void jostle_history_slack(unsigned places) {
  if (controlled()) set_history_slack(places);
}

JOSTLE_HOOK void jostle_history_order(jostle_consistency order) {
  if (controlled()) set_history_order(order);
}
