#include "actors/driver/function_calls.hpp"

#include <utility>

#include "actors/messages/bounds.hpp"
#include "actors/messages/call_json.hpp"
#include "actors/rounds/reply_checks.hpp"
#include "runtime/invalid.hpp"

namespace troupe {

NamedCall::NamedCall(std::string function, const Json& arguments)
    : name(std::move(function)), argument(call_text(arguments, "the function's arguments")) {
  if (name.size() > kLongestText) throw_invalid("the function's name is too long");
  if (argument.size() > kMostTextBytes)
    throw_invalid("the function's argument has " + std::to_string(argument.size()) + " bytes; the limit is " +
                  std::to_string(kMostTextBytes) + " bytes");
}

std::vector<Json> FunctionCalls::on_replicas(const NamedCall& call, int buffer, const Phase& phase) {
  const CallModel request{0, call.name, 0, call.argument.size(), buffer, /*first_only=*/false};
  return ask(request, call, members_.workers(), static_cast<std::size_t>(members_.devices()), phase);
}

Json FunctionCalls::on_first_replica(const NamedCall& call, int buffer, const Phase& phase) {
  const CallModel request{0, call.name, 0, call.argument.size(), buffer, /*first_only=*/true};
  return ask(request, call, {members_.workers().front()}, 1, phase).front();
}

std::vector<Json> FunctionCalls::on_workers(const NamedCall& call, const Phase& phase) {
  return ask(CallWorker{0, call.name, 0, call.argument.size()}, call, members_.workers(), 1, phase);
}

template <class Request>
std::vector<Json> FunctionCalls::ask(Request request, const NamedCall& call, const std::vector<int>& workers,
                                     std::size_t returned, const Phase& phase) {
  std::vector<From<Called>> replies;
  const auto send = [&](std::uint64_t transfer) {
    request.argument = transfer;
    replies = rounds_.ask(request, workers, phase);
  };
  call.argument.empty() ? send(0) : transfers_.lend_text(call.argument, workers, send, phase);
  std::vector<Json> all;
  for (const auto& [worker, called] : replies) add_returned(worker, called, returned, phase, all);
  return all;
}

void FunctionCalls::add_returned(int worker, const Called& called, std::size_t returned, const Phase& phase,
                                 std::vector<Json>& to) {
  const Where where = rounds_.where(worker, phase);
  check_reply(called, returned, where);
  for (const std::string& text : transfers_.fetch_texts(worker, called.text_bytes, phase)) try {
      to.push_back(call_json(text));
    } catch (const Error& error) {
      throw Error(error.code(), error.message(), where);
    }
}

}  // namespace troupe
