#include "cli/train/options/count_or_unit.hpp"
#include "cli/train/options/train_options.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {

EvaluateEvery parse_evaluate_every(const std::string& text) {
  const auto found = parse_count_or_unit(text, 'e');
  if (!found)
    throw_invalid("--evaluate-every '" + printable(text) + "' is neither steps, such as 500, nor epochs, such as 2e");
  return found->has_unit ? EvaluateEvery{.epochs = found->number} : EvaluateEvery{.steps = found->number};
}

}  // namespace troupe::cli
