#include "models/losses/loss_registry.hpp"

#include <utility>

#include "runtime/invalid.hpp"
#include "runtime/registry.hpp"

namespace troupe {
namespace {

using Losses = Registry<std::shared_ptr<const Loss>>;

void add(Losses& known, std::shared_ptr<const Loss> loss) {
  if (!loss) throw_invalid("cannot register a null loss");
  const std::string& name = loss->name();
  known.add(name, std::move(loss));
}

Losses* with_builtin_losses() {
  auto* const known = new Losses("loss");
  add(*known, losses::softmax_cross_entropy());
  add(*known, losses::mean_squared_error());
  add(*known, losses::sigmoid_cross_entropy());
  return known;
}

Losses& known_losses() {
  static Losses& registered = *with_builtin_losses();  // never destroyed, because threads of abandoned replicas may use
                                                       // it after main has returned
  return registered;
}

}  // namespace

void register_loss(std::shared_ptr<const Loss> loss) { add(known_losses(), std::move(loss)); }

std::shared_ptr<const Loss> find_loss(const std::string& name) { return known_losses().find(name); }

std::shared_ptr<const Loss> default_loss(const DataInfo& data) {
  return data.num_classes > 0 ? losses::softmax_cross_entropy() : losses::mean_squared_error();
}

}  // namespace troupe
