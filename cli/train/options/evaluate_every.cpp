#include "cli/train/options/evaluate_every.hpp"

#include <charconv>
#include <string_view>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {

EvaluateEvery parse_evaluate_every(const std::string& text) {
  constexpr std::int64_t kMost = 1'000'000'000;
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const bool epochs = error == std::errc{} && std::string_view(end, last) == "e";
  if (error != std::errc{} || (!epochs && end != last) || number < 1 || number > kMost)
    throw_invalid("--evaluate-every '" + printable(text) + "' is neither steps, such as 500, nor epochs, such as 2e");
  return epochs ? EvaluateEvery{.epochs = number} : EvaluateEvery{.steps = number};
}

}  // namespace troupe::cli
