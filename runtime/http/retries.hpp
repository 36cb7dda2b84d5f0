#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "runtime/clock.hpp"
#include "runtime/http/transfers.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Decides whether a request is made again: after no connection, resets, stalls and truncated answers, and after the
/// status 408, 429 and 500 to 504, after the time that the header Retry-After asks for. After 60 seconds without a byte
/// of an answer, in spite of repetitions, the read has failed. The environment variable TROUPE_DATA_TIMEOUT contains
/// another number of seconds.
class Retries {
 public:
  struct Decision {
    std::optional<Clock::duration> pause;  ///< the time until the next try; none: the read has failed
    ErrorCode code = ErrorCode::bad_file;  ///< why it has failed
    std::string why = {};
  };

  Retries();

  /// Records that a request is made. The time for an answer begins with the first one.
  void begin();
  /// Records that bytes have arrived.
  void progress();
  /// Decides after an answer that was not complete.
  Decision after(const HttpResponse& response);

 private:
  std::chrono::milliseconds patience_;
  std::optional<Clock::time_point> deadline_;
  Clock::duration pause_;
};

}  // namespace troupe
