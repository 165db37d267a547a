package fairbridge_test

// large are the packages and types beyond the ceilings of TestPackageSizes, and
// why. A type is named PACKAGE.Type. Each is to be parted where its reason says.
var large = map[string]string{}
