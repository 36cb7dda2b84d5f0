#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/openssl.hpp"

namespace troupe {

namespace net {
/// Until a certificate ends; negative when it has.
std::int64_t seconds_left(const X509* certificate);
}  // namespace net

/// The last day, in UTC and such as "2027-02-19", of the certificate in a folder. @throws Error bad_certificate
std::string last_day_of(const std::string& folder);

/// One line with what to do where a folder's certificate, or its authority's, has less than 14 days and less than a
/// third of its life left; else empty. @throws Error bad_certificate
std::string expiry_notice(const std::string& folder);
/// Logs it. @throws Error bad_certificate
void note_expiry(const std::string& folder);

}  // namespace troupe
