// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/fork_server_client.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace jostle::cli {
namespace {

using fork_server::Answer;
using fork_server::Ask;
using fork_server::kMostAttached;
using fork_server::Request;

bool send_all(int socket, const void* data, size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size != 0) {
    const ssize_t n = send(socket, at, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

bool receive_all(int socket, void* data, size_t size) {
  auto* at = static_cast<char*>(data);
  while (size != 0) {
    const ssize_t n = recv(socket, at, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

// Descriptors travel with the first byte of the request; those that are not valid are left out.
bool send_request(int socket, Request& request, const int* descriptors) {
  alignas(cmsghdr) char control[CMSG_SPACE(kMostAttached * sizeof(int))] = {};
  int attached[kMostAttached];
  size_t count = 0;
  for (int i = 0; descriptors != nullptr && i < kMostAttached; ++i) {
    if (descriptors[i] < 0) continue;
    attached[count++] = descriptors[i];
    request.attached |= 1u << i;
  }
  iovec data{&request, sizeof request};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (count != 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(header), attached, count * sizeof(int));
  }
  ssize_t n;
  while ((n = sendmsg(socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  if (n < 0) return false;
  return send_all(socket, reinterpret_cast<const char*>(&request) + n,
                  sizeof request - static_cast<size_t>(n));
}

}  // namespace

Answer ForkServer::ask(Request request, const int* descriptors) {
  Answer answer{};
  if (send_request(socket_.get(), request, descriptors) &&
      receive_all(socket_.get(), &answer, sizeof answer)) {
    return answer;
  }
  // Without the program there are no targets either: they die with it.
  return {-1, EPIPE, SIGKILL, 1};
}

Result<pid_t> ForkServer::start(const LaunchPlan& plan, int channel_descriptor) {
  Request request{};
  request.ask = Ask::start;
  request.own_group = plan.own_group ? 1 : 0;
  const int descriptors[kMostAttached] = {channel_descriptor, plan.hub, plan.in, plan.out,
                                          plan.err};
  const Answer answer = ask(request, descriptors);
  if (answer.pid > 0) return answer.pid;
  return Error{Exit::no_start, fmt::format("{} cannot fork for its check: {}", plan.program,
                                           std::strerror(answer.error))};
}

bool ForkServer::has_ended(pid_t pid) {
  Request request{};
  request.ask = Ask::ended;
  request.pid = pid;
  return ask(request).ended != 0;
}

int ForkServer::reap(pid_t pid) {
  Request request{};
  request.ask = Ask::reap;
  request.pid = pid;
  return ask(request).status;
}

void ForkServer::finish(const Outcome& outcome) {
  Request request{};
  request.ask = Ask::done;
  request.exit_code = outcome.exit_code;
  request.schedules = outcome.schedules;
  request.inputs = outcome.inputs;
  request.rejected = outcome.rejected;
  request.scenarios = outcome.scenarios;
  request.not_judged = outcome.not_judged;
  request.executions = outcome.executions;
  request.seconds = outcome.seconds;
  request.text_bytes = outcome.report.size();
  request.replay_bytes = outcome.replay.size();
  if (!send_request(socket_.get(), request, nullptr)) return;
  if (!send_all(socket_.get(), outcome.report.data(), outcome.report.size())) return;
  send_all(socket_.get(), outcome.replay.data(), outcome.replay.size());
}

}  // namespace jostle::cli
