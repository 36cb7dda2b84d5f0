#include "actors/launch/expiry_notice.hpp"

#include <iostream>

#include "runtime/net/certificates/expiry.hpp"

namespace troupe {

void note_expiry(const std::string& certs) {
  if (const std::string notice = expiry_notice(certs); !notice.empty())
    std::cerr << "troupe: " + notice + "\n" << std::flush;
}

}  // namespace troupe
