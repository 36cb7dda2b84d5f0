#include "actors/launch/expiry_notice.hpp"

#include "runtime/log.hpp"
#include "runtime/net/certificates/expiry.hpp"

namespace troupe {

void note_expiry(const std::string& certs) {
  if (const std::string notice = expiry_notice(certs); !notice.empty()) log_line(LogLevel::warning, notice);
}

}  // namespace troupe
