#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "runtime/suggestion.hpp"

namespace troupe {

/// A table in which functions that make objects of one kind, such as models, are registered by name. Thread-safe.
template <class Make>
class Registry {
 public:
  /// @param sort the noun for the kind of objects in error messages, such as "model"
  /// @param hint text that is appended to the error message "none is registered", if the table is empty
  explicit Registry(std::string sort, std::string hint = "") : sort_(std::move(sort)), hint_(std::move(hint)) {}

  /// Registers `make` under a name.
  /// @param usage text that is shown behind the name when an error message lists all names, such as "[:DIR]"
  /// @throws Error invalid_argument if the name is taken, empty or not printable, or if `make` is empty
  void add(const std::string& name, Make make, const std::string& usage = "") {
    if (name.empty() || !is_printable(name))
      throw_invalid("the name of this " + sort_ + " is empty or cannot be shown");
    if (!make) throw_invalid("no creator for " + sort_ + " '" + name + "'");
    const std::scoped_lock lock(mutex_);
    if (!makers_.try_emplace(name, Entry{std::move(make), usage}).second)
      throw_invalid(sort_ + " '" + name + "' is registered already");
  }

  /// Returns the function that is registered under a name. The reference stays valid for the lifetime of the registry.
  /// @throws Error invalid_argument if the name is not registered. The message lists the known names and suggests a
  /// similar name.
  const Make& find(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = makers_.find(name); found != makers_.end()) return found->second.make;
    throw_invalid("no " + sort_ + " named '" + name + "'; " + known() + did_you_mean(name, names()));
  }

 private:
  /// Names with this prefix are for Troupe's own commands. Error messages do not list these names.
  static constexpr const char* kInternal = "troupe-";

  struct Entry {
    Make make;
    std::string usage;
  };

  /// Returns a text for an error message: the list of registered names with their usage, or a text that none is
  /// registered.
  std::string known() const {
    std::string listed;
    for (const std::string& name : names())
      listed += (listed.empty() ? "there are " : ", ") + name + makers_.at(name).usage;
    return listed.empty() ? "none is registered" + hint_ : listed;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : makers_)
      if (!name.starts_with(kInternal)) names.push_back(name);
    return names;
  }

  std::string sort_;
  std::string hint_;
  std::mutex mutex_;
  std::map<std::string, Entry> makers_;
};

}  // namespace troupe
