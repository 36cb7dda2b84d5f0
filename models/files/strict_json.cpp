#include "models/files/strict_json.hpp"

#include <nlohmann/json.hpp>

#include "runtime/files/input_file.hpp"
#include "runtime/json/bounded_json.hpp"

namespace troupe {

nlohmann::json parse_strictly(const std::string& path, const std::string& what, std::string_view text, int deepest,
                              std::size_t memory) {
  std::string fault;
  nlohmann::json parsed = parse_bounded(text, {.deepest = deepest, .memory = memory}, fault);
  if (!fault.empty()) throw_bad_file(path, what + " " + fault);
  return parsed;
}

}  // namespace troupe
