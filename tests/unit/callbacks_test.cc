// SPDX-License-Identifier: Apache-2.0
// Callbacks as readers see them.
#include <gtest/gtest.h>

#include "src/report/model/run_callbacks.h"

namespace jostle::report {
namespace {

Callback called(std::string name, std::string trigger = {}) {
  Callback callback{.thread = 0, .name = std::move(name)};
  callback.trigger = std::move(trigger);
  return callback;
}

TEST(CallbackName, OfFunctionsAndHandlers) {
  EXPECT_EQ(callback_name("on_read(uv_stream_s*, long, uv_buf_t const*)"), "on_read");
  EXPECT_EQ(callback_name("asio::detail::wait_handler<main::{lambda(std::error_code)#1}, "
                          "asio::any_io_executor>::do_complete(void*, "
                          "asio::detail::scheduler_operation*, std::error_code const&, unsigned "
                          "long)"),
            "lambda in main");
  EXPECT_EQ(callback_name("asio::detail::reactive_socket_recv_op<asio::mutable_buffer, "
                          "asio::detail::read_op<int, (anonymous "
                          "namespace)::fetch_token()::{lambda(std::error_code, unsigned "
                          "long)#2}>, asio::any_io_executor>::do_complete(void*)"),
            "lambda in fetch_token");
  EXPECT_EQ(callback_name("asio::detail::epoll_reactor::run(long, asio::detail::op_queue<int>&)"),
            "");
  EXPECT_EQ(callback_name("std::function<void ()>::operator()() const"), "");
  EXPECT_EQ(callback_name("main._omp_fn.0"), "");
  EXPECT_EQ(callback_name(""), "");
}

TEST(CallbackDifference, IsTheFirstThatComesInAnotherOrder) {
  EXPECT_EQ(callback_difference({called("a"), called("tick", "timer"), called("read")},
                                {called("a"), called("read", "descriptor 3"), called("tick")}),
            "Here tick (timer) runs before read (descriptor 3); a schedule in which read "
            "(descriptor 3) runs first passes.");
  // The second call of a is not the first.
  EXPECT_EQ(callback_difference({called("a"), called("a")}, {called("a"), called("b")}),
            "Here a runs where b runs in a schedule that passes.");
  EXPECT_EQ(callback_difference({called("a")}, {called("a"), called("b")}), "");
  // The same function, but for another descriptor.
  EXPECT_EQ(callback_difference({called("r", "descriptor 9"), called("r", "descriptor 8")},
                                {called("r", "descriptor 8"), called("r", "descriptor 9")}),
            "Here r (descriptor 9) runs before r (descriptor 8); a schedule in which r (descriptor "
            "8) runs first passes.");
  EXPECT_EQ(callback_difference({}, {}), "");
}

}  // namespace
}  // namespace jostle::report
