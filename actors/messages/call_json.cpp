#include "actors/messages/call_json.hpp"

#include <nlohmann/json.hpp>

#include "runtime/invalid.hpp"
#include "runtime/json/bounded_json.hpp"

namespace troupe {
namespace {

/// The largest memory in bytes that parsing a text may need. It is enough for 64 MiB of numbers, or for one string of
/// 64 MiB. A text with very many empty lists may need more, and is then rejected.
constexpr std::size_t kMostMemory = std::size_t{256} << 20;
/// The largest number of bytes of memory that parsing needs for one byte of text.
constexpr std::size_t kMostMemoryOfAByte = 32;

std::string fault_of(const std::string& text, nlohmann::json& json) {
  std::string fault;
  json = parse_bounded(text, {.memory = kMostMemory}, fault);
  return fault;
}

}  // namespace

std::string call_text(const nlohmann::json& json, const char* what) {
  if (json.is_null()) return {};
  check_depth(json, what);
  try {
    std::string text = json.dump();
    nlohmann::json parsed;
    const bool small = text.size() <= kMostMemory / kMostMemoryOfAByte;
    if (const std::string fault = small ? "" : fault_of(text, parsed); !fault.empty())
      throw_invalid(std::string(what) + ' ' + fault);
    return text;
  } catch (const nlohmann::json::exception&) {
    throw_invalid(std::string(what) + ": text is not valid UTF-8");
  }
}

nlohmann::json call_json(const std::string& text) {
  if (text.empty()) return nullptr;
  nlohmann::json json;
  if (const std::string fault = fault_of(text, json); !fault.empty())
    throw Error(ErrorCode::protocol, "the JSON of a call " + fault);
  return json;
}

}  // namespace troupe
