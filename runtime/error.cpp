#include "troupe/error.hpp"

#include <array>
#include <utility>

#include "runtime/redaction.hpp"

namespace troupe {
namespace {

std::string describe(const std::string& message, const Where& where) {
  std::string place;
  const auto add = [&place](const std::string& part) { place += (place.empty() ? "" : ", ") + part; };
  if (where.worker >= 0) add("worker " + std::to_string(where.worker));
  if (!where.node.empty()) add("node " + where.node);
  if (!where.phase.empty()) add("phase " + where.phase);
  if (where.step >= 0) add("step " + std::to_string(where.step));
  if (!where.object.empty()) add(where.object);
  return place.empty() ? message : message + " (" + place + ")";
}

}  // namespace

const char* to_string(ErrorCode code) {
  static constexpr std::array names{
      "invalid_argument",   "bad_file",    "bad_data",     "model_failed",  "model_mismatch", "non_finite_loss",
      "non_finite_weights", "store_full",  "store_failed", "worker_lost",   "timeout",        "protocol",
      "bad_certificate",    "unsupported", "system",       "limit_reached", "in_use"};
  const auto index = static_cast<std::size_t>(code);
  return index < names.size() ? names[index] : "unknown";
}

Error::Error(ErrorCode code, const std::string& message, Where where)
    : std::runtime_error(without_secrets(describe(message, where))),
      code_(code),
      message_(without_secrets(message)),
      where_(std::move(where)) {
  where_.object = without_secrets(std::move(where_.object));
}

}  // namespace troupe
