#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace troupe {

/// What went wrong, for programs; `Error::what()` says it for people.
enum class ErrorCode : std::uint8_t {
  invalid_argument,    ///< an option, size or name that cannot work
  bad_file,            ///< missing, truncated or malformed file
  bad_data,            ///< data that does not fit the model (labels out of range, wrong shape)
  model_failed,        ///< a creator or a model threw, or a creator returned null
  model_mismatch,      ///< replicas that differ in size or layout, or weights of another model
  non_finite_loss,     ///< the loss of a worker became NaN or infinite
  non_finite_weights,  ///< a step's new weights, optimizer state or statistics would be NaN or infinite
  store_full,          ///< the object store's quota cannot take the object
  store_failed,        ///< the object store refused a request or lost its creator
  worker_lost,         ///< a worker ended or was killed
  timeout,             ///< a deadline passed
  protocol,            ///< a peer that speaks another protocol or sends garbage, or that refuses us
  bad_certificate,     ///< a missing, expired or foreign certificate, or one of another role
  unsupported,         ///< something this build or this machine cannot do
  system,              ///< the operating system refused
  limit_reached,       ///< a limit on threads, open files or memory, which the text names with how to raise it
  in_use,              ///< a folder that another run writes to
};

/// The code's name, such as "worker_lost".
const char* to_string(ErrorCode code);

/// Where an error arose; unset members are -1 or empty.
struct Where {
  int worker = -1;
  std::string node = {};   ///< "in-process", "pid N" of a worker process, or the name of a node
  std::string phase = {};  ///< "start", "compute", "reduce", "apply", "evaluate", ...
  std::int64_t step = -1;
  std::string object = {};  ///< file, store object or tensor

  bool operator==(const Where&) const = default;
};

/// Every error that Troupe throws.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, Where where = {});

  ErrorCode code() const { return code_; }
  const Where& where() const { return where_; }
  /// The message without its place, to be thrown again with a fuller one.
  const std::string& message() const { return message_; }

 private:
  ErrorCode code_;
  std::string message_;
  Where where_;
};

}  // namespace troupe
