#include "models/registry.hpp"

#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Models of Troupe's own commands, which are nobody's choice.
constexpr std::string_view kInternal = "troupe-";

class Registry {
 public:
  void add(const std::string& name, CreateModel create) {
    if (name.empty()) throw Error(ErrorCode::invalid_argument, "a model needs a name to be registered");
    if (!create) throw Error(ErrorCode::invalid_argument, "no creator for model '" + name + "'");
    const std::scoped_lock lock(mutex_);
    if (!creators_.try_emplace(name, std::move(create)).second) {
      throw Error(ErrorCode::invalid_argument, "a model named '" + name + "' is registered already");
    }
  }

  const CreateModel& find(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = creators_.find(name); found != creators_.end()) return found->second;
    throw Error(ErrorCode::invalid_argument, "no model named '" + name + "'; " + known());
  }

 private:
  std::string known() const {
    std::string names;
    for (const auto& [name, create] : creators_)
      if (!name.starts_with(kInternal)) names += (names.empty() ? "there are " : ", ") + name;
    return names.empty() ? "none is registered" : names;
  }

  std::mutex mutex_;
  std::map<std::string, CreateModel> creators_;
};

Registry& registry() {
  static Registry& registered = *new Registry;  // never destroyed: replicas that were given up may outlive main
  return registered;
}

}  // namespace

void register_model(const std::string& name, CreateModel create) { registry().add(name, std::move(create)); }

const CreateModel& find_model(const std::string& name) { return registry().find(name); }

}  // namespace troupe
