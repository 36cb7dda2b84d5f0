#pragma once

// The exception type of Troupe and its error codes. A failed call throws troupe::Error, which contains a code and the
// place of the failure:
//
//    try {
//      sgd.step();
//    } catch (const troupe::Error& error) {
//      if (error.code() == troupe::ErrorCode::worker_lost) std::cerr << error.what();
//    }

#include <cstdint>
#include <stdexcept>
#include <string>

namespace troupe {

/// The kind of an error, for programs. `Error::what()` describes the error for people.
enum class ErrorCode : std::uint8_t {
  invalid_argument,    ///< an option, size or name that is not valid
  bad_file,            ///< a missing, truncated or malformed file
  bad_data,            ///< data that does not fit the model (a label out of range, a wrong shape)
  model_failed,        ///< a creator or a model threw, or a creator returned null
  model_mismatch,      ///< replicas with different sizes or layouts, or weights of another model
  non_finite_loss,     ///< the loss of a worker became NaN or infinite
  non_finite_weights,  ///< new weights, optimizer state or statistics of a step would be NaN or infinite
  store_full,          ///< the quota of the object store is too small for the object
  store_failed,        ///< the object store refused a request, or its creating process ended
  worker_lost,         ///< a worker ended or was killed
  timeout,             ///< a deadline passed
  protocol,  ///< a peer with another protocol version or with malformed messages, or a peer that refuses the connection
  bad_certificate,  ///< a certificate that is missing, expired, of another authority or of another role
  unsupported,      ///< an operation that this build or this machine does not support
  system,           ///< a call of the operating system failed
  limit_reached,    ///< a limit on threads, open files or memory; the message names it and how to raise it
  in_use,           ///< a folder that another run writes to, or workers that already run a function
};

/// Returns the enumerator's name, such as "worker_lost".
const char* to_string(ErrorCode code);

/// The place of an error. Members that do not apply to the error are -1 or empty.
struct Where {
  int worker = -1;          ///< number of the worker
  std::string node = {};    ///< "in-process", "pid N" for a worker process, or the name of a node
  std::string phase = {};   ///< the phase that failed: "start", "compute", "reduce", "apply", "evaluate", ...
  std::int64_t step = -1;   ///< number of the step, from 1 on
  std::string object = {};  ///< the name of a file, of an object in the object store, or of a tensor

  bool operator==(const Where&) const = default;
};

/// The exception that Troupe throws. `what()` contains the message and the place.
class Error : public std::runtime_error {
 public:
  /// Makes an error whose `what()` returns `message` and the place `where`.
  Error(ErrorCode code, const std::string& message, Where where = {});

  ErrorCode code() const { return code_; }
  const Where& where() const { return where_; }
  /// Returns the message without the place. Use it to throw the error again with more members of Where.
  const std::string& message() const { return message_; }

 private:
  ErrorCode code_;
  std::string message_;
  Where where_;
};

}  // namespace troupe
