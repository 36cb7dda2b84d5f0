#include "actors/messages/failure.hpp"

#include <new>

#include "runtime/printable.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {
namespace {

constexpr std::size_t kLongestPlace = 300;

bool is_code(std::int32_t number) {
  return number >= 0 && number <= UINT8_MAX && to_string(static_cast<ErrorCode>(number)) != std::string("unknown");
}

}  // namespace

Failure Failure::from(const std::exception_ptr& error, ErrorCode otherwise) {
  Failure failure;
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    failure = {static_cast<std::int32_t>(e.code()), e.message(), e.where().phase, e.where().object, e.where().node};
  } catch (const std::bad_alloc&) {
    failure = {static_cast<std::int32_t>(ErrorCode::limit_reached), no_memory("memory was refused").message(), "", "",
               ""};
  } catch (const std::exception& e) {
    failure = {static_cast<std::int32_t>(otherwise), e.what(), "", "", ""};
  } catch (...) {
    failure = {static_cast<std::int32_t>(otherwise), "an exception that is not derived from std::exception", "", "",
               ""};
  }
  for (std::string* text : {&failure.message, &failure.phase, &failure.object, &failure.node})
    if (text->size() > kLongestText) text->resize(kLongestText);
  return failure;
}

Error Failure::to_error(Where where) const {
  if (!phase.empty()) where.phase = printable(phase, kLongestPlace);
  if (!object.empty()) where.object = printable(object, kLongestPlace);
  std::string text = printable(message);
  if (!node.empty()) {  // the sender reports that another node is the cause
    if (!where.node.empty()) text += " (reported by " + where.node + ")";
    where.node = printable(node, kLongestPlace);
    where.worker = -1;
  }
  return {is_code(code) ? static_cast<ErrorCode>(code) : ErrorCode::protocol, text, where};
}

}  // namespace troupe
